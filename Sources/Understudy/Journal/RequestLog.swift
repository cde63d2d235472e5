import Contract
import Faults
import JSON
import Platform
import Primitives
import Report

/// The log of requests on standard error; lines are collected and written once per turn of the loop.
final class RequestLog {
  private let format: MockServer.Options.LogFormat
  /// The admin token, which no line shows.
  private let token: String?
  /// The lines that are not written yet.
  private(set) var lines: [UInt8] = []

  /// - Parameter token: The server's admin token.
  init(_ format: MockServer.Options.LogFormat, masking token: String? = nil) {
    self.format = format
    self.token = token.flatMap { $0.isEmpty ? nil : $0 }
  }

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
    let target = masked(Self.text(record.texts.target, of: texts))
    switch format {
    case .off: break
    case .text:
      let fault = plan.map { " planned: " + $0.description } ?? ""
      let refusal = refusal.map { " refused: " + $0 } ?? ""
      let start = "\(time) \(sandbox) \(method) \(target) \(record.status.map(String.init) ?? "-")"
      lines += (start + " \(bytes) B \(milliseconds) ms\(fault)\(refusal)").printable.utf8
      lines.append(UInt8(ascii: "\n"))
    case .json:
      var entry: JSONValue = [
        "at": .string(time), "sandbox": .string(sandbox), "id": .int(record.id),
        "method": .string(method), "target": .string(target), "status": record.status.map(JSONValue.int) ?? .null,
        "bytes": .int(bytes),
        "milliseconds": .number(JSONValue.Number(milliseconds)),
      ]
      if let refusal { entry = entry.merging(["refused": .string(refusal)]) }
      if let plan { entry = entry.merging(["planned": .string(plan.description)]) }
      lines += entry.text.printableJSON.utf8
      lines.append(UInt8(ascii: "\n"))
    }
  }

  /// Returns a target without the token, which some clients put into the query.
  private func masked(_ target: String) -> String {
    guard let token else { return target }
    return [token, PercentCoding.encodeSegment(token)].reduce(target) { $0.replacing($1, with: "(masked)") }
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
