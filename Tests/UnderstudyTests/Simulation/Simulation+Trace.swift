import Contract
import Faults
import Services

@testable import Primitives
@testable import Report
@testable import Understudy

/// The trace of a run, as a hash to compare and as text to read.
extension Simulation {
  /// A hash of every sent byte and its time.
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

  /// The run as text, connection by connection.
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
    for ledger in observer.journals {
      lines.append("sandbox \(ledger.sandbox.name), version \(ledger.sandbox.state.store.version)")
      for line in ledger.lines {
        let entry = line.entry
        let what = line.event ?? "request \(line.number.map(String.init) ?? "?") on \(entry.connection)"
        let versions = entry.versions.map { "\($0)" } ?? "-"
        let plan = "plan «\(line.plan.description)» \(line.plan.phase), delay \(line.plan.delay)"
        let forgotten = line.isForgotten ? ", forgotten" : ""
        lines.append(
          "  \(entry.id) at \(Timeline.tick(of: entry.at).nanoseconds): \(what), \(entry.outcome.word), "
            + "applied \(entry.isApplied) \(versions), \(plan)\(forgotten)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
