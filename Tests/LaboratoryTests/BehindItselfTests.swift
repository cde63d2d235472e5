import Faults
import Foundation
import HTTP1
import JSON
import LiveTesting
import Testing

@testable import Primitives
@testable import Report
@testable import Understudy

/// A server in front of a server without faults behaves as one server with faults: each fault and phase, in virtual time.
@Suite("Understudy in front of Understudy, for every effect, phase and seed", .busy)
struct BehindItselfTests {
  /// Requests to one API. The decisions of scenarios depend on its name, so the backend has it, too.
  struct Subject: Sendable, CustomTestStringConvertible {
    let api: String
    let requests: [String]
    /// False if the API discards what is written.
    let keepsChanges: Bool
    var testDescription: String { api }
  }

  private static let subjects = [
    Subject(
      api: "users",
      requests: [
        request("GET", "/users/3"), request("HEAD", "/users/3"), request("GET", "/users/none"),
        request("POST", "/users", #"{"name":"Ada"}"#), request("PATCH", "/users/3", #"{"name":"Ada"}"#),
      ], keepsChanges: false),
    Subject(
      api: "devices",
      requests: [
        request("GET", "/devices"), request("GET", "/devices/none"),
        request("PATCH", "/devices/CWM-0012-62", #"{"installationDate":"2026-01-10T08:##:00Z"}"#),
      ], keepsChanges: true),
  ]

  private static func request(_ method: String, _ path: String, _ body: String? = nil) -> String {
    let content = body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
    return "\(method) \(path) HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\n\(content)\r\n\(body ?? "")"
  }

  /// An example of each kind of effect that needs no state, and further ones.
  private static let effects =
    Effect.Kind.allCases.filter { !["stale", "rivals"].contains($0.name) }.map(\.page.example) + [
      #"{"status":429}"#, #"{"latency":"40ms"}"#, #"{"rateLimit":{"limit":1,"window":"1h"}}"#, #"{"fault":"hang"}"#,
      #"{"fault":"hang","for":"9s"}"#, #"{"fault":"truncate","at":"1/7"}"#,
      #"{"fault":"stall","at":"1/2","for":"1s"}"#, #"{"fault":"stall","at":"1/2"}"#,
    ]

  @Test("a client gets the same bytes, and the journal has the same entries", arguments: effects, subjects)
  func equals(effect: String, subject: Subject) throws {
    let difference = try Self.difference(under: effect, for: subject, seeds: WholeProof.rounds(4, of: 200))
    #expect(difference == nil)
  }

  @Test(
    "a backend that is dead would be noticed, and so would a fault that is delivered otherwise", arguments: subjects)
  func notices(subject: Subject) throws {
    let (effect, other) = (#"{"fault":"truncate","at":"1/2"}"#, #"{"fault":"truncate","at":"1/3"}"#)
    #expect(try Self.difference(under: effect, for: subject, seeds: 1) == nil)
    #expect(try Self.difference(under: effect, inFront: other, for: subject, seeds: 1) != nil)
    #expect(try Self.difference(under: effect, for: subject, seeds: 1, behind: DeadBackend()) != nil)
  }

  /// Returns the first difference between a server alone and one in front of another; nil if there is none.
  ///
  /// - Parameters:
  ///   - other: The effect in front, if it is another one.
  ///   - backend: What stands behind, if it is no other server.
  private static func difference(
    under effect: String, inFront other: String? = nil, for subject: Subject, seeds: Int,
    behind backend: (any Respondent)? = nil
  ) throws -> String? {
    let kind = try Effect(json: JSONValue(parsing: Array(effect.utf8))).kind
    let alone = Server(try LaboratoryRun(seed: 1, scenario: .calm))
    let front = Server(try LaboratoryRun(seed: 1, scenario: .calm, inFrontOf: Semantics.none, named: subject.api))
    defer { for server in [alone, front] { server.run.release() } }
    if let backend { front.run.application.upstream?.respondent = backend }
    var count = 0
    for seed in 1...seeds {
      for phase in kind.onlyBeforeReason == nil ? ["before", "after"] : ["before"] {
        let place = "seed \(seed), \(phase)"
        let limits = kind.isOfSandbox ? "" : #""phase":"\#(phase)","#
        for (server, effect) in [(alone, effect), (front, other ?? effect)] {
          let rule = #"{"name":"r",\#(limits)"effect":\#(effect)}"#
          try server.arm(#"{"name":"x","seed":\#(seed),"rules":[\#(rule)]}"#)
        }
        for request in subject.requests where exception(of: kind, phase, request) == nil {
          // Each change of a record is one.
          let request = request.replacing("##", with: "\(10 + count % 50)")
          let (expected, found) = (alone.ask(request), front.ask(request))
          count += 1
          if found != expected { return "\(place), \(request.prefix(24))\nalone: \(expected)\nin front: \(found)" }
        }
        let (expected, found) = (alone.newEntries(of: subject), front.newEntries(of: subject))
        if found != expected { return "\(place):\nalone: \(expected)\nin front: \(found)" }
      }
    }
    #expect(count > seeds)
    return nil
  }

  /// The reason for which a request is answered otherwise in front of a backend; nil if there is none.
  private static func exception(of kind: Effect.Kind, _ phase: String, _ request: String) -> String? {
    guard phase == "before", kind.isFault else { return nil }
    let isRead = request.hasPrefix("GET") || request.hasPrefix("HEAD")
    if !isRead, kind.needs != .nothing || ["garbage", "captive-portal"].contains(kind.name) {
      return "it needs a copy of the state, which a backend has not"
    }
    if kind.name == "reset" && !isRead || ["reset", "garbage"].contains(kind.name) && request.contains("none") {
      return "it takes the place of an answer of which not even the status is known"
    }
    return nil
  }
}

/// A backend that accepts no connection.
private final class DeadBackend: Respondent {
  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let answer = UpstreamAnswer(forwarding, limit: 1, name: "nothing", timeout: .seconds(1))
    loop.answer(question.id, with: answer.failed(.unreachable, after: .zero))
  }

  func clientLeft(_ question: Int) {}
}

/// A server in virtual time, to which one client sends one request after another.
private final class Server {
  let run: LaboratoryRun
  private var next = MonotonicInstant(nanoseconds: 0) + .seconds(10)
  private var lastSeq = 0

  init(_ run: LaboratoryRun) { self.run = run }

  /// The time that each request has to itself, so that both servers get it at the same time of their clocks: some effects
  /// depend on that.
  private static let slot = Duration.milliseconds(47_300)

  /// The part of a response that a client sees, less the fields of this server about the exchange.
  struct Seen: Equatable, CustomStringConvertible {
    let lines: [String]
    let content: [UInt8]
    let ending: Wire.TransportFault?

    init(_ bytes: [UInt8], _ ending: Wire.TransportFault?) {
      let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound ?? bytes.count
      let head = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
      let isPortal = head.contains("Content-Type: text/html; charset=utf-8")
      // The portal is not the backend's, so it has no tag of it.
      let own = Self.own + (isPortal ? ["etag:"] : [])
      lines =
        [head[0]] + head.dropFirst().filter { line in !own.contains { line.lowercased().hasPrefix($0) } }.sorted()
      content = Array(bytes[end...])
      self.ending = ending
    }

    private static let own = ["date:", "understudy-", "server-timing:", "via:", "connection:", "cache-control:"]

    var description: String {
      lines.joined(separator: " | ") + String(decoding: content, as: UTF8.self)
        + "\n(\(content.count) bytes, \(ending.map { "\($0)" } ?? "silence"))"
    }
  }

  /// Sends a request over a connection of its own, and returns what came back.
  func ask(_ request: String) -> Seen {
    pass(until: next)
    next = next + Self.slot
    let wire = run.network.connect(from: "127.0.0.1")
    run.network.send(Array(request.utf8), on: wire)
    while wire.ending == nil, run.time.step(until: next - .seconds(2)) {}
    let seen = Seen(wire.received, wire.ending)
    if wire.ending == nil { run.network.abandon(wire) }
    pass(until: next - .seconds(1))
    return seen
  }

  private func pass(until moment: MonotonicInstant) {
    run.time.at(moment) {}
    while run.time.step(until: moment) {}
  }

  func arm(_ scenario: String) throws {
    let fields = "Host: localhost\r\nConnection: close\r\nContent-Length: \(scenario.utf8.count)\r\n"
    let response = ask("PUT /_mock/scenario HTTP/1.1\r\n\(fields)\r\n\(scenario)")
    try #require(response.lines.first == "HTTP/1.1 200 OK", "\(response)")
    run.network.runMaintenance()
  }

  /// Returns what the journal knows of each request since the last call, less what only one of both can know.
  func newEntries(of subject: BehindItselfTests.Subject) -> [String] {
    let journal = run.application.state.sandboxes[nil]?.traffic.journal ?? Journal()
    let entries = journal.entries(after: lastSeq, limit: .max).filter { $0.outcome != .event }
    lastSeq = journal.lastSeq
    return entries.sorted { $0.id < $1.id }.map { entry in
      let plan = entry.plan.map { "\($0.rules) \($0.description)" } ?? "none"
      let response = entry.response.map { "\($0.status), \($0.bytes) bytes" } ?? "none"
      // The five APIs tell whether a write changed something; a backend tells only that it succeeded.
      let isApplied = subject.keepsChanges ? "\(entry.isApplied)" : "any"
      return "n=\(entry.n) plan: \(plan), \(entry.outcome.word), applied: \(isApplied), response: \(response)"
    }
  }
}
