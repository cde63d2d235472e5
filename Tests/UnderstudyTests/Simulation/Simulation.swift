import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Services

@testable import Understudy

/// One simulated run: an application, a network and its peers, all drawn from one seed.
final class Simulation {
  let seed: UInt64
  let timeline: Timeline
  let application: Application
  let observer: JournalObserver
  let loop: SimulatedLoop
  let requests: RandomRequests
  let scenarios: RandomScenarios
  /// All requests by their numbers.
  var all: [Int: SimulatedRequest] = [:]
  /// The names of the sandboxes that were requested.
  var sandboxes: [String] = []
  var findings: [String] = []
  private(set) var events = 0

  /// Small data, so that requests meet and rooms fill up.
  static let seeds: Result<SeedData, any Error> = Result {
    let patch = """
      {"devices": [{"id": "A-1", "type": "heating", "meterPointDescription": "a", "installationDate": null},
        {"id": "B-2", "type": "heating", "meterPointDescription": "b", "installationDate": "now"},
        {"id": "C-3", "type": "cold_water", "meterPointDescription": "c", "installationDate": null}],
      "booking": {"rooms": [
        {"name": "Full", "spots": 0}, {"name": "Scarce", "spots": 3}, {"name": "Roomy", "spots": 40}]},
      "house": {"rooms": {"Bedroom": null, "Living Room": null, "Kitchen": null, "Hall": {"Light": false}}}}
      """
    let embedded = try SeedData.embedded()
    var activities = embedded.documents[1].array?.prefix(2).map(\.self) ?? []
    for index in activities.indices { activities[index] = activities[index].merging(["id": .int(11 + index)]) }
    let users = JSONValue.array(Array(embedded.documents[3].array?.prefix(2) ?? []))
    return try embedded.merging(try JSONValue(parsing: Array(patch.utf8)))
      .merging(["activities": .array(activities), "users": users])
  }

  init(seed: UInt64) throws {
    self.seed = seed
    timeline = Timeline(seed: seed)
    scenarios = RandomScenarios(timeline)
    requests = RandomRequests(timeline)
    var configuration = Sandbox.Configuration()
    configuration.scenario = try Scenarios.read(try JSONValue(parsing: Array(scenarios.next().utf8)))
    configuration.seed = seed
    application = Application(seeds: try Self.seeds.get(), standard: configuration, clocks: timeline.clocks)
    observer = JournalObserver(application)
    loop = SimulatedLoop(application, timeline, observer)
    application.state.loop = loop
  }

  /// Runs all events, and checks the results.
  func run() {
    for _ in 0..<timeline.integer(1...5) { timeline.after(timeline.pause(upTo: 4_000)) { [self] in visit() } }
    for _ in 0..<timeline.integer(0...4) { timeline.after(timeline.pause(upTo: 4_000)) { [self] in meddle() } }
    timeline.after(.milliseconds(500)) { [self] in runMaintenance() }
    if timeline.oneIn(3) { timeline.after(timeline.pause(upTo: 6_000)) { [self] in loop.drain() } }
    exhaust()
    checkRest()
    loop.drain()
    exhaust()
    check()
    // Reference cycles would outlive the run.
    for cable in loop.past { cable.notify = {} }
    application.state.loop = NoLoop()
  }

  private func exhaust() {
    while timeline.step() {
      events += 1
      if events > 100_000 {
        findings.append("it does not come to an end")
        return
      }
    }
  }

  /// Runs maintenance as long as there are other events.
  private func runMaintenance() {
    loop.runMaintenance()
    if !timeline.isEmpty { timeline.after(.milliseconds(timeline.integer(500...3_000))) { [self] in runMaintenance() } }
  }

  /// Without a stop, only planned endless silences may remain.
  private func checkRest() {
    for cable in loop.cables where !cable.connection.isSilent {
      findings.append("\(cable.name) is left over, \(cable.connection.http.state.phase)")
    }
  }
}
