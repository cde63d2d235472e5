import Foundation
import Testing

@testable import UnderstudyClient

@Suite("A write whose response was lost or is no JSON")
struct DoubtTests {
  @Test(
    "an outcome stays unknown if a proxy, a log-in or a condition refuses the next attempt",
    arguments: [(403, "<html>"), (401, "{}"), (404, "<html>"), (405, ""), (412, "{}"), (407, "Proxy")])
  func strangers(_ status: Int, _ body: String) async throws {
    let client = try BackendClient.scripted(ScriptedTransport(.lost, .response(status, body)))
    let booking = await requestError { try await client.booking.book("A", key: "k") }
    #expect(booking == .unknown(.connectionLost("cut")))
    let other = try BackendClient.scripted(ScriptedTransport(.lost, .response(status, body)))
    let change = await requestError { try await other.devices.update("A", with: DeviceChange(), ifMatch: "\"1\"") }
    #expect(change == .unknown(.connectionLost("cut")), "a 412 may come from the lost attempt's own success")
  }

  @Test("a refusal that is stored and read again is equal, and files without its newest member can be read")
  func storedRefusal() throws {
    let refusal = Rejection(status: 409, detail: "full", pointers: ["/name"], retryAfter: .seconds(3), isJSON: true)
    #expect(try JSONDecoder().decode(Rejection.self, from: JSONEncoder().encode(refusal)) == refusal)
    let old = #"{"status":404,"type":"about:blank","title":"Not found","detail":"","pointers":[]}"#
    #expect(
      try JSONDecoder().decode(Rejection.self, from: Data(old.utf8)) == Rejection(status: 404, title: "Not found"))
  }

  @Test("JSON that a service labels as HTML is not taken for a log-in page")
  func labelledAsHTML() async throws {
    let fields = ["Content-Type": "text/html; charset=utf-8"]
    for (body, isPage) in [(#"{"success":true}"#, false), ("<html>", true), ("", true)] {
      let client = try BackendClient.scripted(ScriptedTransport(.response(200, body, fields))) {
        $0.policy.maximumAttempts = 1
      }
      let error = await requestError { try await client.booking.book("A", key: "k") }
      #expect(error != nil, "no body labelled as HTML is an acknowledgement")
      #expect((error == .unknown(.webPage)) == isPage, "\(body): \(String(describing: error))")
    }
  }
}
