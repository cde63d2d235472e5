import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The deadline of a call and the timeouts of its attempts")
struct DeadlineTests {
  /// Uses the whole timeout of each attempt.
  private actor SlowTransport: Transport {
    private let clock: TestClock
    private(set) var timeouts: [Duration] = []

    init(_ clock: TestClock) { self.clock = clock }

    func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
      timeouts.append(timeout)
      clock.advance(by: timeout)
      throw .lost(.timedOut)
    }
  }

  @Test("the last attempt gets the rest of the call's time, and no attempt exceeds its own timeout")
  func lastTry() async throws {
    let clock = TestClock()
    let transport = SlowTransport(clock)
    let client = try BackendClient.scripted(transport, clock) { configuration in
      configuration.policy.timeoutPerTry = .seconds(15)
      configuration.policy.deadline = .seconds(40)
    }
    await #expect(throws: RequestError.unanswered(.timedOut)) { try await client.devices.list() }
    #expect(await transport.timeouts == [.seconds(15), .seconds(15), .milliseconds(9_625)])
  }

  @Test("a write that has to wait does not delay reads of the same URL")
  func methodOfEmbargo() async throws {
    let device = #"{"id":"A","type":"heating","meterPointDescription":"Hall","installationDate":null}"#
    let transport = ScriptedTransport { request, _ in
      request.method == "GET" ? .response(200, device) : .response(429, "", ["Retry-After": "3600"])
    }
    let client = try BackendClient.scripted(transport)
    _ = try? await client.devices.update("A", with: DeviceChange(installationDate: .removed))
    #expect(try await client.devices.get("A").id == "A")
    await #expect(throws: RequestError.self) {
      try await client.devices.update("A", with: DeviceChange(installationDate: .removed))
    }
    #expect(await transport.requests.map(\.method) == ["PATCH", "GET"])
  }

  @Test("the first of two results of a request counts, even before it is awaited")
  func firstEnd() async {
    let flight = RequestTask()
    flight.end(.failure(.lost(.cancelled)))
    flight.end(.success(TransportResponse(status: 200)))
    let arrival = await withCheckedContinuation { flight.begin($0) }
    #expect(arrival == .failure(.lost(.cancelled)))
  }
}
