import Faults
import Foundation
import JSON
import LiveTesting
import Report
import Testing

@testable import Understudy

/// A server in front of a server without faults behaves as one server with faults, over sockets. The proof with many seeds is
/// in virtual time, in the tests of the laboratory.
@Suite("Understudy in front of Understudy, over sockets", .live)
struct BehindItselfTests {
  /// The part of a response that a client sees, less the fields of this server about the exchange.
  private struct Seen: Equatable, CustomStringConvertible {
    let description: String

    /// - Parameter ignored: The names of further fields that may differ, in lower case.
    init(_ server: MockServer, _ request: String, ignoring ignored: [String]) throws {
      let client = try WireConnection(server.port)
      try client.send(request)
      let (text, end) = client.rest()
      let head = text.range(of: "\r\n\r\n").map { text[..<$0.lowerBound] } ?? text[...]
      let lines = head.components(separatedBy: "\r\n").filter { line in
        !(Self.own + ignored).contains { line.lowercased().hasPrefix($0) }
      }
      let content = text.dropFirst(head.count)
      description = ([lines.first ?? ""] + lines.dropFirst().sorted()).joined(separator: "\n") + content + "\n\(end)"
    }

    private static let own = ["date:", "understudy-", "server-timing:", "via:", "connection:", "cache-control:"]
  }

  private static let effects = [
    #"{"status":503,"retryAfter":"2s"}"#, #"{"fault":"empty"}"#, #"{"fault":"reset-bare"}"#, #"{"fault":"reset"}"#,
    #"{"fault":"hang","for":"1ms","then":"reset"}"#, #"{"fault":"truncate","at":"1/2"}"#,
    #"{"fault":"bad-chunk"}"#, #"{"fault":"garbage"}"#, #"{"fault":"corrupt"}"#, #"{"fault":"drift"}"#,
    #"{"fault":"wrong-type"}"#, #"{"fault":"captive-portal"}"#, #"{"latency":"1ms"}"#,
    #"{"fault":"stall","at":"1/2","for":"1ms","then":"close"}"#, #"{"pace":{"bytesPerSecond":1000000,"chunk":64}}"#,
  ]

  /// The faults of which a part is drawn.
  private static let drawn = ["corrupt", "drift", "garbage", "bad-chunk"]

  private static let requests = [
    // The list of devices has the time at which its server started.
    wire("GET", "/devices/CWM-0012-62", "Connection: close"), wire("GET", "/users/3", "Connection: close"),
    wire("HEAD", "/users/3", "Connection: close"), wire("GET", "/devices/none", "Connection: close"),
    wire("POST", "/users", "Connection: close", "Content-Type: application/json", body: #"{"name":"x"}"#),
  ]

  @Test("a client gets the same bytes for every effect, phase and seed", arguments: effects)
  func bytes(effect: String) async throws {
    try await withServer { backend in
      try await withServer { alone in
        try await Stage.inFrontOf(backend.url) { options in
          options.upstreamName = "users"
        } body: { front in
          for seed in 1...2 {
            // A pace is the same before and after.
            for phase in effect.contains("pace") ? ["before"] : ["before", "after"] {
              let match = phase == "after" ? #""match":{"changes":true},"# : ""
              let scenario =
                #"{"name":"x","seed":\#(seed),"rules":[{"name":"r",\#(match)"phase":"\#(phase)","effect":\#(effect)}]}"#
              for server in [alone, front.server] {
                let armed = try exchange(server, wire("PUT", "/_mock/scenario", body: scenario))
                try #require(armed.status == 200, "\(armed.text)")
              }
              for request in Self.requests where phase == "before" || request.hasPrefix("POST") {
                // A write's damage before the change needs a copy of the state, which a backend has not.
                if phase == "before", request.hasPrefix("POST"), effect.contains("fault") { continue }
                // The decisions depend on the API's name.
                if !request.contains("/users"),
                  Self.drawn.contains(where: { effect.contains($0) })
                {
                  continue
                }
                // The head of a reset is sent before anything is known of the answer, so a missing record is none yet.
                if phase == "before", effect == #"{"fault":"reset"}"#, request.contains("/none") { continue }
                // The portal is not the backend's, so it has no tag of it.
                let ignored = effect.contains("captive-portal") ? ["etag:"] : []
                let expected = try Seen(alone, request, ignoring: ignored)
                let found = try Seen(front.server, request, ignoring: ignored)
                #expect(found == expected, "\(effect) \(phase) seed \(seed): \(request.prefix(24))")
              }
            }
          }
          let expected = try await entries(Stage(server: alone))
          let found = try await entries(front)
          #expect(expected.count >= 6 && found == expected, "\(effect)")
        }
      }
    }
  }

  /// Returns what both journals know of each request.
  private func entries(_ stage: Stage) async throws -> [String] {
    #expect(await stage.server.journalBecomes { $0.allSatisfy { $0.outcome != .pending } })
    return try stage.requests().map { entry in
      let values = [
        entry["method"], entry["path"], entry["n"], entry["plan", "effects"], entry["outcome"],
        entry["response", "status"],
      ]
      return values.map { $0?.text ?? "" }.joined(separator: " ")
    }
  }
}
