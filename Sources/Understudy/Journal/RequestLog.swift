import Contract
import Faults
import HTTP1
import JSON
import Primitives
import Sockets

/// The log of requests on standard error; lines are collected and written once per turn of the loop.
final class RequestLog {
  private let format: MockServer.Options.LogFormat
  /// The lines that are not written yet.
  private(set) var lines: [UInt8] = []

  init(_ format: MockServer.Options.LogFormat) { self.format = format }

  var isOn: Bool { format != .off }

  /// Adds a line.
  func record(
    _ exchange: borrowing Exchange, status: Int, bytes: Int, at now: Instant, took duration: Duration
  ) {
    let milliseconds = Double(duration.nanoseconds / 1_000) / 1_000
    let time = Timestamp.milliseconds(now)
    let sandbox = exchange.sandbox?.name ?? "-"
    let method = Self.text(exchange.request.method, of: exchange.request)
    let target = Self.text(exchange.request.target, of: exchange.request)
    switch format {
    case .off: break
    case .text:
      lines += "\(time) \(sandbox) \(method) \(target) ".utf8
      let fault = exchange.plan.isEmpty ? "" : " planned: " + exchange.plan.summary.description
      let refusal = exchange.refusalText.map { " refused: " + $0 } ?? ""
      lines += "\(status) \(bytes) B \(milliseconds) ms\(fault)\(refusal)\n".utf8
    case .json:
      var entry: JSONValue = [
        "at": .string(time), "sandbox": .string(sandbox), "id": .int(exchange.id),
        "method": .string(method), "target": .string(target), "status": .int(status), "bytes": .int(bytes),
        "milliseconds": .number(JSONValue.Number(milliseconds)),
      ]
      if let refusal = exchange.refusalText { entry = entry.merging(["refused": .string(refusal)]) }
      if !exchange.plan.isEmpty { entry = entry.merging(["planned": .string(exchange.plan.summary.description)]) }
      entry.write(to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
  }

  private static func text(_ range: Range<Int>, of request: borrowing Request) -> String {
    range.isEmpty ? "-" : request.text(range)
  }

  /// Writes the collected lines. If the reader is slow, they are dropped, so that the server does not wait.
  func flush() {
    guard isOn, !lines.isEmpty else { return }
    Descriptor.append(lines, to: 2)
    lines.removeAll(keepingCapacity: true)
  }
}
