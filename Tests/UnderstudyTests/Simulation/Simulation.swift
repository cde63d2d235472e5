import Contract
import Faults
import HTTP1
import JSON

@testable import Understudy

/// One run of everything: a backend, a network and its peers, all drawn from one seed.
final class Simulation {
  let seed: UInt64
  private let timeline: Timeline
  private let backend: Backend
  private let witness: Witness
  private let loop: SimulatedLoop
  private let requests: RandomRequests
  private let scenarios: RandomScenarios
  private var all: [Int: SimulatedRequest] = [:]
  private var sandboxes: [String] = []
  private(set) var findings: [String] = []
  private(set) var events = 0

  /// Small data, so that requests meet and rooms fill up.
  static let seeds: Result<SeedData, any Error> = Result {
    let patch = """
      {"devices": [{"id": "A-1", "type": "heating", "meterPointDescription": "a", "installationDate": null},
        {"id": "B-2", "type": "heating", "meterPointDescription": "b", "installationDate": "now"},
        {"id": "C-3", "type": "cold_water", "meterPointDescription": "c", "installationDate": null}],
      "booking": {"rooms": [{"name": "Full", "spots": 0}, {"name": "Scarce", "spots": 3}, {"name": "Roomy", "spots": 40}]},
      "house": {"rooms": {"Bedroom": null, "Living Room": null, "Kitchen": null, "Hall": {"Light": false}}}}
      """
    let embedded = try SeedData.embedded()
    var activities = embedded.documents[1].array?.prefix(2).map(\.self) ?? []
    for place in activities.indices { activities[place] = activities[place].merging(["id": .int(11 + place)]) }
    let users = JSON.array(Array(embedded.documents[3].array?.prefix(2) ?? []))
    return try embedded.merging(try JSON(parsing: Array(patch.utf8)))
      .merging(["activities": .array(activities), "users": users])
  }

  init(seed: UInt64) throws {
    self.seed = seed
    timeline = Timeline(seed: seed)
    scenarios = RandomScenarios(timeline)
    requests = RandomRequests(timeline)
    var order = Sandbox.Order()
    order.scenario = try Scenarios.read(try JSON(parsing: Array(scenarios.next().utf8)))
    order.seed = seed
    backend = Backend(seeds: try Self.seeds.get(), standard: order, clocks: timeline.clocks)
    witness = Witness(backend)
    loop = SimulatedLoop(backend, timeline, witness)
    backend.loop = loop
  }

  /// Lets everything happen, and checks what came of it.
  func run() {
    for _ in 0..<timeline.integer(1...5) { timeline.after(timeline.pause(upTo: 4_000)) { [self] in visit() } }
    for _ in 0..<timeline.integer(0...4) { timeline.after(timeline.pause(upTo: 4_000)) { [self] in meddle() } }
    timeline.after(.milliseconds(500)) { [self] in keepHouse() }
    if timeline.oneIn(3) { timeline.after(timeline.pause(upTo: 6_000)) { [self] in loop.drain() } }
    exhaust()
    checkRest()
    loop.drain()
    exhaust()
    check()
    // What refers to each other in a circle would outlive the run.
    for cable in loop.past { cable.notify = {} }
    backend.loop = NoLoop()
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

  /// As long as anything else is to happen, the house is kept.
  private func keepHouse() {
    loop.keepHouse()
    if !timeline.isEmpty { timeline.after(.milliseconds(timeline.integer(500...3_000))) { [self] in keepHouse() } }
  }

  /// Without a stop, only what a plan keeps silent for ever may be left.
  private func checkRest() {
    for cable in loop.cables where !cable.connection.progress.isSilent {
      findings.append("\(cable.name) is left over, \(cable.connection.state.phase)")
    }
  }
}

extension Simulation {
  /// A peer comes, and perhaps once more with the same words when it met with silence.
  private func visit() {
    let port = timeline.oneIn(5) ? loop.sandboxesWithPorts.last : nil
    guard let cable = loop.admit(sandboxOfPort: port, capacity: timeline.pick([300, 5_000, 1 << 20])) else { return }
    for _ in 0..<timeline.integer(1...5) {
      add(requests.next(to: port == nil && timeline.oneIn(2) ? sandboxes.last : nil), to: cable)
    }
    let leaving: Peer.Leaving =
      timeline.oneIn(2) ? .politely : timeline.pick([.halfClosing, .halfClosing, .resetting, .vanishing])
    Peer(cable, loop, leaving: leaving).begin(pipelined: timeline.oneIn(2))
    guard timeline.oneIn(3) else { return }
    let inner = cable.notify
    var hasRepeated = false
    cable.notify = { [self] in
      inner()
      guard cable.end != nil, !hasRepeated else { return }
      hasRepeated = true
      replay(cable)
    }
  }

  /// Sends the last request once more on a connection of its own, as a transport does that lost the reply.
  private func replay(_ lost: Cable) {
    guard let cable = loop.admit(sandboxOfPort: lost.sandboxOfPort, capacity: 1 << 20) else { return }
    add(timeline.pick(lost.requests), to: cable)
    Peer(cable, loop, leaving: .politely).begin(pipelined: true)
  }

  /// Somebody drives the backend by its control API.
  private func meddle() {
    guard let cable = loop.admit(sandboxOfPort: nil, capacity: 1 << 20) else { return }
    add(order(), to: cable)
    Peer(cable, loop, leaving: .politely).begin(pipelined: false)
  }

  private func order() -> SimulatedRequest {
    let sandbox = timeline.oneIn(2) ? sandboxes.last : nil
    switch timeline.integer(0...11) {
    case 0...2:
      let name = "box-\(timeline.integer(1...2))"
      if !sandboxes.contains(name) { sandboxes.append(name) }
      let port = timeline.oneIn(3) ? ", \"port\": 0" : ""
      return requests.control("POST", "/_mock/sandboxes", "{\"name\": \"\(name)\"\(port)}", to: nil)
    case 3: return requests.control("DELETE", "/_mock/sandboxes/\(sandboxes.last ?? "none")", to: nil)
    case 4: return requests.control("POST", "/_mock/reset", to: sandbox)
    case 5...6: return requests.control("PUT", "/_mock/snapshots/one", to: sandbox)
    case 7: return requests.control("POST", "/_mock/snapshots/one/restore", to: sandbox)
    case 8: return requests.control("PATCH", "/_mock/clock", "{\"frozen\": \(timeline.oneIn(2))}", to: sandbox)
    case 9:
      return requests.control("PATCH", "/_mock/clock", "{\"advance\": \"\(timeline.integer(1...9))s\"}", to: sandbox)
    case 10: return requests.control("PUT", "/_mock/scenario", scenarios.next(), to: sandbox)
    default: return requests.control("GET", "/_mock/journal", to: sandbox)
    }
  }

  private func add(_ request: SimulatedRequest, to cable: Cable) {
    var request = request
    request.sandbox = request.sandbox ?? cable.sandboxOfPort
    all[request.number] = request
    cable.requests.append(request)
  }
}

extension Simulation {
  private func check() {
    for cable in loop.cables { findings.append("\(cable.name) outlives the drain") }
    var lines: [Int: [Int: Ledger.Line]] = [:]
    for ledger in witness.ledgers {
      let history = HistoryCheck(ledger, all)
      findings += history.findings
      for line in ledger.lines {
        guard let number = line.number else { continue }
        lines[line.entry.connection, default: [:]][number] = line
      }
    }
    for cable in loop.past {
      findings += DeliveryCheck(cable, lines[cable.connection.number] ?? [:]).findings
      if cable.connection.wakeUp != nil { findings.append("\(cable.name) still waits for a wake-up") }
      guard case .none = cable.connection.progress else {
        findings.append("\(cable.name) still has an exchange")
        continue
      }
    }
  }

  /// A number that stands for every byte that was sent, and the moment of it.
  var fingerprint: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func fold(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 }
    for cable in loop.past {
      for byte in cable.sent { fold(UInt64(byte)) }
      for piece in cable.pieces { fold(UInt64(bitPattern: piece.at.nanoseconds)) }
      fold(cable.end.map { UInt64(bitPattern: $0.at.nanoseconds) } ?? 0)
    }
    return hash
  }

  /// The run in words, connection by connection.
  var trace: String {
    var lines: [String] = []
    for cable in loop.past {
      lines.append(
        "\(cable.name): \(cable.requests.count) requests, read \(cable.read), sent \(cable.sent.count), "
          + "end \(cable.end.map { "\($0.kind) at \($0.at.nanoseconds)" } ?? "none"), "
          + "half-closed \(cable.wasFinRead), excuse \(cable.excuse ?? "none")")
      for request in cable.requests {
        lines.append(
          "  > \(request.number) " + String(decoding: request.bytes, as: UTF8.self).replacing("\r\n", with: "|"))
      }
      lines.append("  < " + String(decoding: cable.sent, as: UTF8.self).replacing("\r\n", with: "|"))
      lines.append("    " + cable.pieces.map { "\($0.end)@\($0.at.nanoseconds)" }.joined(separator: " "))
    }
    for ledger in witness.ledgers {
      lines.append("sandbox \(ledger.sandbox.name), version \(ledger.sandbox.store.version)")
      for line in ledger.lines {
        let entry = line.entry
        let what = line.event ?? "request \(line.number.map(String.init) ?? "?") on \(entry.connection)"
        let versions = entry.versions.map { "\($0)" } ?? "-"
        lines.append(
          "  \(entry.id) at \(Timeline.tick(of: entry.at).nanoseconds): \(what), \(entry.outcome.word), "
            + "applied \(entry.isApplied) \(versions), plan «\(line.plan.words)» \(line.plan.phase)\(line.isForgotten ? ", forgotten" : "") delay \(line.plan.delay)"
        )
      }
    }
    return lines.joined(separator: "\n")
  }
}
