import Contract
import Faults
import HTTP1
import JSON

/// Tells of each request on standard error; lines are collected and written once a turn of the loop.
struct RequestLog {
  private let format: Options.LogFormat
  private var lines: [UInt8] = []

  init(_ format: Options.LogFormat) { self.format = format }

  /// - Parameters:
  ///   - now: The time, which is asked for only where a line is written; likewise how long it took.
  mutating func note(
    _ exchange: Exchange, status: Int, bytes: Int, at now: @autoclosure () -> Instant,
    took duration: @autoclosure () -> Duration
  ) {
    guard format != .off else { return }
    let request = exchange.request
    let milliseconds = Double(duration().nanoseconds / 1_000) / 1_000
    let time = Timestamp.milliseconds(now())
    let sandbox = exchange.sandbox?.name ?? "-"
    switch format {
    case .off: break
    case .text:
      lines += "\(time) \(sandbox) \(request.text(request.method)) \(request.text(request.target)) ".utf8
      let fault = exchange.plan.isCalm ? "" : " planned: " + exchange.plan.words
      lines += "\(status) \(bytes) B \(milliseconds) ms\(fault)\n".utf8
    case .json:
      var entry: JSON = [
        "at": .string(time), "sandbox": .string(sandbox), "id": .int(exchange.id),
        "method": .string(request.text(request.method)), "target": .string(request.text(request.target)),
        "status": .int(status), "bytes": .int(bytes), "milliseconds": .number(JSON.Number(milliseconds)),
      ]
      if !exchange.plan.isCalm { entry = entry.merging(["planned": .string(exchange.plan.words)]) }
      entry.write(to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
  }

  /// Bytes that were answered and are no request.
  struct Refused {
    /// The method, or a dash where no whole request line came; likewise the target.
    let method: String
    let target: String
    let status: Int
    let bytes: Int
    let reason: String
  }

  /// Notes what was refused before it was a request: it belongs to no sandbox and no journal.
  mutating func note(_ refused: Refused, at now: Instant) {
    let time = Timestamp.milliseconds(now)
    switch format {
    case .off: break
    case .text:
      lines += "\(time) - \(refused.method) \(refused.target) ".utf8
      lines += "\(refused.status) \(refused.bytes) B refused: \(refused.reason)\n".utf8
    case .json:
      let entry: JSON = [
        "at": .string(time), "method": .string(refused.method), "target": .string(refused.target),
        "status": .int(refused.status), "bytes": .int(refused.bytes), "refused": .string(refused.reason),
      ]
      entry.write(to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
  }

  /// Writes what was collected. A log that nobody reads is dropped rather than waited for.
  mutating func flush() {
    guard !lines.isEmpty else { return }
    File.append(lines, to: 2)
    lines.removeAll(keepingCapacity: true)
  }
}
