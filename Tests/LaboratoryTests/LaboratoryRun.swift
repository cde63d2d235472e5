import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Services

@testable import Report
@testable import Understudy

/// One run in virtual time: an application with its default sandbox under a scenario, clients, and their report cards.
final class LaboratoryRun {
  let seed: UInt64
  let time: VirtualTime
  let application: Application
  let network: Network
  /// The backend behind the application, if it has one.
  private let backend: VirtualBackend?
  private var busy = 0
  /// The time after which it is cut, whatever its clients do; nil if it lasts until they have finished.
  var end: Duration?
  private(set) var lines: [String] = []
  /// The names of the tasks, in the order of their beginning.
  private(set) var description: [String] = []
  private let recordsLines: Bool

  private static let seeds: Result<SeedData, any Error> = Result { try .embedded() }
  /// The maximum duration of a run.
  private static let limit = Duration.seconds(3_600)

  /// - Parameters:
  ///   - recordsLines: True if each request adds a line to `lines`.
  ///   - semantics: What requests mean to the backend behind the application; nil if it serves the five APIs itself.
  ///   - apiName: The name of the backend's API, on which the decisions of scenarios depend.
  ///   - shopKeepsKeys: Nil if the backend is another server; else it is a shop, which keeps keys or not.
  init(
    seed: UInt64, scenario: Scenario, recordsLines: Bool = false, inFrontOf semantics: Semantics? = nil,
    named apiName: String = "upstream", shopKeepsKeys: Bool? = nil
  ) throws {
    self.seed = seed
    self.recordsLines = recordsLines
    time = VirtualTime(seed: seed)
    var configuration = Sandbox.Configuration()
    configuration.seed = seed
    let seeds = try Self.seeds.get()
    if let semantics {
      configuration.scenario = Scenarios.Target.upstream.adapted(scenario)
      var settings = Upstream.Configuration(address: try BaseURL("http://127.0.0.1:3000"))
      (settings.semantics, settings.apiName) = (semantics, apiName)
      let backend = shopKeepsKeys == nil ? VirtualBackend(settings, seeds: seeds, time) : nil
      self.backend = backend
      let respondent: any Respondent =
        if let backend { backend } else { VirtualShop(time, settings, keepsKeys: shopKeepsKeys == true) }
      application = Application(
        seeds: seeds, standard: configuration, clocks: time.clocks, upstream: Upstream(settings, asking: respondent))
    } else {
      backend = nil
      configuration.scenario = scenario
      application = Application(seeds: seeds, standard: configuration, clocks: time.clocks)
    }
    network = Network(application, time)
    description.append(scenario.name)
  }

  func client(_ identity: Client.Identity, _ library: Library, timeout: Duration) -> Client {
    let client = Client(identity, network, library, timeout: timeout)
    if recordsLines { client.log = { [self] in lines.append($0) } }
    return client
  }

  /// Begins a task after a delay. The run lasts until the task calls back.
  func begin(_ name: String, after delay: Duration, _ task: @escaping (@escaping () -> Void) -> Void) {
    busy += 1
    description.append(name)
    time.after(delay) { [self] in task { [self] in busy -= 1 } }
  }

  /// Adds a well-behaved client with a number of tasks.
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

  /// Sends a request to the control API, which no scenario affects.
  func control(_ method: String, _ path: String, _ body: String? = nil, after delay: Duration) {
    let tester = client(
      .init(name: nil, userAgent: "tester", address: "127.0.0.9"), .wellConfigured[0], timeout: .seconds(5))
    begin("\(method) \(path) \(body ?? "")", after: delay) { done in
      tester.send(Call(method: method, path: path, body: body)) { _ in done() }
    }
  }

  /// Runs to the end.
  ///
  /// Clients that are cut have not finished, so their next actions stay unknown.
  ///
  /// - Parameter exitCode: The exit code of the clients' command; nil if there is none.
  /// - Returns: The cards, those from before a reset first; nil if the run does not come to its end.
  func finish(exitCode: Int32? = nil) -> [ReportCard]? {
    maintain()
    let end = time.now + (self.end ?? Self.limit)
    while busy > 0, time.step(until: end) {}
    let isOver = busy == 0 || self.end != nil
    let isCut = busy > 0
    // Requests that the clients abandoned end before the report.
    let rest = time.now + (exitCode == nil ? .seconds(1) : .milliseconds(200))
    while !isCut, time.step(until: rest) {}
    let cards = application.state.allCards(isCut: isCut, exitCode: exitCode).map(\.card)
    release()
    return isOver ? cards : nil
  }

  /// Drops what refers to the run.
  func release() {
    time.cancelAll()
    application.state.loop = NoLoop()
    backend?.network.application.state.loop = NoLoop()
  }

  private func maintain() {
    network.runMaintenance()
    backend?.network.runMaintenance()
    time.after(.milliseconds(500)) { [self] in maintain() }
  }
}

extension [ReportCard] {
  /// The lines of the given verdict, as `id: sentence`.
  func sentences(_ verdict: Verdict) -> [String] {
    flatMap(\.checks).filter { $0.verdict == verdict }.map { "\($0.id): \($0.finding.sentence) \($0.finding.evidence)" }
  }

  func verdict(of check: String) -> Verdict? { flatMap(\.checks).filter { $0.id == check }.map(\.verdict).max() }
}
