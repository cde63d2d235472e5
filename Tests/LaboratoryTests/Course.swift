import Contract
import JSON
import Primitives
import Testing

@testable import Faults
@testable import Report
@testable import Understudy

/// A course of requests, and the verdicts of its card that are worse than passed.
struct Course: Sendable, CustomTestStringConvertible {
  /// Where the requests go.
  enum Place: Sendable, Hashable {
    case fiveAPIs
    /// A shop behind an upstream, whose requests a file declares or not, and which keeps keys or not.
    case shop(isDeclared: Bool, keepsKeys: Bool = true)
  }

  /// A part of a course. Clients are named; one whose name begins with a colon sends that as its `User-Agent` only.
  indirect enum Step: Sendable {
    case send(String, Call, timeout: Duration = .seconds(20))
    case wait(Duration)
    /// Several parts side by side.
    case beside([[Step]])
    case times(Int, [Step])
  }

  let testDescription: String
  let place: Place
  let expected: [String: Verdict]
  /// The exit code of the command that ends with the course; nil if the run goes on for a minute.
  var exitCode: Int32?
  let steps: [Step]

  init(
    _ name: String, at place: Place = .fiveAPIs, expecting expected: [String: Verdict] = [:], exitCode: Int32? = nil,
    _ steps: [Step]
  ) {
    (testDescription, self.place, self.expected, self.exitCode) = (name, place, expected, exitCode)
    self.steps = steps
  }

  /// The complaints of the card, with their sentences.
  func play() throws -> [String: Finding] {
    let complaints = try cards().flatMap(\.checks).filter { $0.verdict > .pass && $0.id != FaultsDelivered.id }
    return Dictionary(complaints.map { ($0.id, $0.finding) }, uniquingKeysWith: { $1 })
  }

  /// Plays the course, and returns its cards.
  func cards() throws -> [ReportCard] {
    let run =
      switch place {
      case .fiveAPIs: try LaboratoryRun(seed: 1, scenario: .calm)
      case .shop(let isDeclared, let keepsKeys):
        try LaboratoryRun(
          seed: 1, scenario: .calm, inFrontOf: isDeclared ? Semantics.ofShop : Semantics.none, shopKeepsKeys: keepsKeys)
      }
    let players = Players(run)
    run.begin(testDescription, after: .seconds(1)) { done in
      players.play(steps[...]) { exitCode == nil ? run.time.after(.seconds(65), done) : done() }
    }
    return try #require(run.finish(exitCode: exitCode), "the course does not come to its end")
  }

  /// The clients of a course.
  private final class Players {
    private let run: LaboratoryRun
    private var clients: [String: Client] = [:]

    init(_ run: LaboratoryRun) { self.run = run }

    private func client(_ name: String) -> Client {
      if let client = clients[name] { return client }
      let isNamed = !name.hasPrefix(":")
      let identity = Client.Identity(
        name: isNamed ? name : nil, userAgent: isNamed ? "lab/1" : String(name.dropFirst()), address: "127.0.0.1")
      let client = run.client(identity, .wellConfigured[0], timeout: .seconds(20))
      clients[name] = client
      return client
    }

    func play(_ steps: ArraySlice<Step>, _ done: @escaping () -> Void) {
      guard let step = steps.first else { return done() }
      let rest = { [self] in play(steps.dropFirst(), done) }
      switch step {
      case .send(let name, let call, let timeout):
        client(name).send(call, timeout: timeout, usesCache: call.usesCache) { _ in rest() }
      case .wait(let duration): run.time.after(duration, rest)
      case .times(let count, let steps): repeatPart(steps, count, rest)
      case .beside(let parts):
        var open = parts.count
        for part in parts {
          play(part[...]) {
            open -= 1
            if open == 0 { rest() }
          }
        }
      }
    }

    private func repeatPart(_ steps: [Step], _ count: Int, _ done: @escaping () -> Void) {
      guard count > 0 else { return done() }
      play(steps[...]) { [self] in repeatPart(steps, count - 1, done) }
    }
  }
}

extension Semantics {
  /// The declarations that the shop's author would write.
  static let ofShop: Semantics = {
    guard
      let semantics = try? Semantics(json: [
        ["match": "POST /orders", "effect": "add"],
        ["match": "POST /orders/express", "effect": "add", "key": "X-Request-Id"],
        ["match": "POST /carts", "effect": "add", "shown-by": "GET /basket"],
        ["match": "POST /broken", "effect": "add"], ["match": "POST /search", "effect": "read"],
      ])
    else { preconditionFailure("the rules are valid") }
    return semantics
  }()
}
