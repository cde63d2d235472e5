import Contract
import Faults
import JSON
import Platform
import Primitives
import Report

/// The log of requests on standard error; lines are collected and written once per turn of the loop.
final class RequestLog {
  private let format: MockServer.Options.LogFormat
  /// The lines that are not written yet.
  private(set) var lines: [UInt8] = []

  init(_ format: MockServer.Options.LogFormat) { self.format = format }

  var isOn: Bool { format != .off }

  /// Adds a line about an exchange that has ended. Its status is `-` or null if no status line was sent.
  ///
  /// - Parameters:
  ///   - texts: The texts of its record.
  ///   - plan: Its plan; nil if that has no effect.
  ///   - refusal: The reason for which it was refused before all of it had been read.
  func record(
    _ record: borrowing ExchangeRecord, texts: ArraySlice<UInt8>, plan: PlanSummary?, refusal: String?,
    in sandbox: Sandbox?
  ) {
    let milliseconds = Double(record.total.nanoseconds / 1_000) / 1_000
    let time = Timestamp.milliseconds(Instant(nanoseconds: record.at.nanoseconds + record.total.nanoseconds))
    let (sandbox, bytes) = (sandbox?.name ?? "-", record.response?.bytes ?? 0)
    let method = Self.text(record.texts.method, of: texts)
    let target = Self.text(record.texts.target, of: texts)
    switch format {
    case .off: break
    case .text:
      lines += "\(time) \(sandbox) \(method) \(target) ".utf8
      let fault = plan.map { " planned: " + $0.description } ?? ""
      let refusal = refusal.map { " refused: " + $0 } ?? ""
      lines += "\(record.status.map(String.init) ?? "-") \(bytes) B \(milliseconds) ms\(fault)\(refusal)\n".utf8
    case .json:
      var entry: JSONValue = [
        "at": .string(time), "sandbox": .string(sandbox), "id": .int(record.id),
        "method": .string(method), "target": .string(target), "status": record.status.map(JSONValue.int) ?? .null,
        "bytes": .int(bytes),
        "milliseconds": .number(JSONValue.Number(milliseconds)),
      ]
      if let refusal { entry = entry.merging(["refused": .string(refusal)]) }
      if let plan { entry = entry.merging(["planned": .string(plan.description)]) }
      entry.write(to: &lines)
      lines.append(UInt8(ascii: "\n"))
    }
  }

  private static func text(_ part: ExchangeRecord.Texts.Part, of texts: ArraySlice<UInt8>) -> String {
    part.isEmpty ? "-" : String(decoding: texts.dropFirst(part.lowerBound).prefix(part.count), as: UTF8.self)
  }

  /// Writes the collected lines. If the reader is slow, they are dropped, so that the server does not wait.
  func flush() {
    guard isOn, !lines.isEmpty else { return }
    Descriptor.append(lines, to: 2)
    lines.removeAll(keepingCapacity: true)
  }
}
