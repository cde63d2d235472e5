import Contract
import Faults
import JSON

@testable import Understudy

/// One run in virtual time: a backend with its default sandbox under a scenario, clients, and their report cards.
final class AttemptKind {
  let seed: UInt64
  let time: VirtualTime
  let backend: Backend
  let network: Network
  private var busy = 0
  private(set) var lines: [String] = []
  /// Names what was done, in the order of its beginning.
  private(set) var description: [String] = []
  private let isTold: Bool

  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }
  /// A run that lasts longer has hung.
  private static let limit = Duration.seconds(3_600)

  /// - Parameter isTold: True if each request adds a line to `lines`.
  init(seed: UInt64, scenario: Scenario, isTold: Bool = false) throws {
    self.seed = seed
    self.isTold = isTold
    time = VirtualTime(seed: seed)
    var order = Sandbox.Order()
    order.scenario = scenario
    order.seed = seed
    backend = Backend(seeds: try Self.seeds.get(), standard: order, clocks: time.clocks)
    network = Network(backend, time)
    description.append(scenario.name)
  }

  func client(_ identity: Client.Identity, _ library: Library, timeout: Duration) -> Client {
    let client = Client(identity, network, library, timeout: timeout)
    if isTold { client.log = { [self] in lines.append($0) } }
    return client
  }

  /// Lets something begin after a delay; the run lasts until it calls back.
  func begin(_ name: String, after delay: Duration, _ task: @escaping (@escaping () -> Void) -> Void) {
    busy += 1
    description.append(name)
    time.after(delay) { [self] in task { [self] in busy -= 1 } }
  }

  /// Adds a well-behaved client with a number of errands.
  func begin(_ habits: [Habit], errands: Int, _ client: Client, after delay: Duration) {
    begin("\(client.library.name): \(habits.map(\.rawValue).joined(separator: ", "))", after: delay) { [self] done in
      perform(errands, of: habits, client, done)
    }
  }

  private func perform(_ count: Int, of habits: [Habit], _ client: Client, _ done: @escaping () -> Void) {
    guard count > 0 else { return done() }
    time.pick(habits).perform(client) { [self] in
      time.after(time.milliseconds(300...6_000)) { [self] in perform(count - 1, of: habits, client, done) }
    }
  }

  /// Drives the control API, which no scenario touches.
  func control(_ method: String, _ path: String, _ body: String? = nil, after delay: Duration) {
    let tester = client(
      .init(name: nil, userAgent: "tester", address: "127.0.0.9"), .wellConfigured[0], timeout: .seconds(5))
    begin("\(method) \(path) \(body ?? "")", after: delay) { done in
      tester.send(Call(method: method, path: path, body: body)) { _ in done() }
    }
  }

  /// Performs everything.
  ///
  /// - Returns: The cards, those from before a reset first; nil if the run does not come to its end.
  func run() -> [ReportCard]? {
    maintain()
    let end = time.now + Self.limit
    while busy > 0, time.step(until: end) {}
    let isOver = busy == 0
    // What the clients left under way ends before it is judged.
    let rest = time.now + .seconds(1)
    while time.step(until: rest) {}
    time.cancelAll()
    let cards = backend.allCards().map(\.card)
    backend.loop = NoLoop()
    return isOver ? cards : nil
  }

  private func maintain() {
    network.runMaintenance()
    time.after(.milliseconds(500)) { [self] in maintain() }
  }
}

extension [ReportCard] {
  /// The lines of the given verdict, as `id: sentence`.
  func sentences(_ verdict: Verdict) -> [String] {
    flatMap(\.lines).filter { $0.verdict == verdict }.map { "\($0.id): \($0.finding.sentence) \($0.finding.evidence)" }
  }

  func verdict(of check: String) -> Verdict? { flatMap(\.lines).filter { $0.id == check }.map(\.verdict).max() }
}
