import Contract
import Faults
import HTTP1
import JSON
import Primitives

@testable import Report
@testable import Understudy

/// The comparison of all observations.
extension Simulation {
  func check() {
    findings += loop.findings
    for cable in loop.cables { findings.append("\(cable.name) outlives the drain") }
    var lines: [Int: [Int: ObservedJournal.Line]] = [:]
    for ledger in observer.journals {
      let history = HistoryCheck(ledger, all)
      findings += history.findings
      if application.state.sandboxes[ledger.sandbox.name] === ledger.sandbox,
        !history.model.agrees(with: shown(by: ledger.sandbox))
      {
        findings.append("sandbox \(ledger.sandbox.name) ends as \(history.model) and shows another state")
      }
      for line in ledger.lines {
        guard let number = line.number else { continue }
        lines[line.entry.connection, default: [:]][number] = line
      }
    }
    for cable in loop.past {
      findings += DeliveryCheck(cable, lines[cable.connection.link.number] ?? [:]).findings
      if cable.connection.wakeUp != nil { findings.append("\(cable.name) still waits for a wake-up") }
      guard !cable.connection.hasExchange else {
        findings.append("\(cable.name) still has an exchange")
        continue
      }
    }
  }

  /// Returns the state of a sandbox in the responses of its APIs, when faults are over.
  private func shown(by sandbox: Sandbox) -> JSONValue {
    sandbox.arm(.calm, seed: 1, at: application.realTime)
    let connection = HeldConnection(peer: "reader", port: Labels(), application: application, timeouts: Timeouts())
    let paths = ["devices": "/devices", "activities": "/activities", "booking": "/rooms.json"]
    var document = JSONValue.Object()
    for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
      let label = sandbox.name == Sandboxes.defaultName ? "" : "/@" + sandbox.name
      connection.receive(Array(wire("GET", label + path).utf8)[...])
      if let receipt = Receipt(connection.output.bytes, from: connection.output.sent, isHead: false) {
        document[name] = try? JSONValue(parsing: Array(connection.output.bytes[receipt.body...]))
      }
      connection.didSend(connection.output.pending)
    }
    return .object(document)
  }
}
