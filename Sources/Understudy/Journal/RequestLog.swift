import Contract
import Dispatch
import Faults
import JSON
import Platform
import Primitives
import Report

/// The log of requests on standard error, and the server's notices to its operator. The lines of a turn are collected, and
/// passed together to the one thread that writes both, so that no line is written into another.
final class RequestLog {
  private let format: MockServer.Options.LogFormat
  /// The admin token, which no line shows.
  private let token: String?
  /// The mask of credentials in targets.
  var secrets = SecretMask.standard
  /// The lines of this turn.
  private(set) var lines: [UInt8] = []
  private let write: @Sendable ([UInt8]) -> Void
  private let queue = Locked(Queue())
  private let writer = Workers(maximumThreads: 1, isBackground: false)

  /// Writes to standard error. A failure is ignored: it could be reported nowhere else.
  private static let standardError: @Sendable ([UInt8]) -> Void = {
    try? Descriptor.write($0, to: 2, named: "standard error")
  }

  /// - Parameters:
  ///   - token: The server's admin token.
  ///   - write: Writes lines, and waits for their reader.
  init(
    _ format: MockServer.Options.LogFormat, masking token: String? = nil,
    write: @escaping @Sendable ([UInt8]) -> Void = standardError
  ) {
    self.format = format
    self.write = write
    self.token = token.flatMap { $0.isEmpty ? nil : $0 }
  }

  var isOn: Bool { format != .off }

  /// The content of a line about an exchange. Its status is `-` or null if no status line was sent.
  struct Line: Sendable {
    fileprivate let id: Int
    fileprivate let at: Instant
    fileprivate let arrival: MonotonicInstant
    fileprivate let sandbox: String
    fileprivate let method: String
    fileprivate let target: String
    fileprivate let status: Int?
    fileprivate let plan: Plan?
    fileprivate let refusal: String?
    fileprivate var bytes: Int
    fileprivate var total: NanosecondDuration

    /// - Parameters:
    ///   - entry: The entry of an exchange that has ended.
    ///   - refusal: The reason for which it was refused before all of it had been read.
    init(_ entry: Entry, refusal: String?, in sandbox: Sandbox?) {
      (id, at, arrival, total) = (entry.id, entry.at, entry.arrival, entry.total)
      self.sandbox = sandbox?.name ?? "-"
      method = Self.text(entry.texts.method)
      target = Self.text(entry.texts.target)
      (status, bytes) = (entry.status, entry.response?.bytes ?? 0)
      (plan, self.refusal) = (entry.plan, refusal)
    }

    /// Sets the end of a response that was continued.
    mutating func end(bytes: Int, at end: MonotonicInstant) {
      self.bytes = bytes
      total = NanosecondDuration(from: arrival, to: end)
    }

    private static func text(_ part: ArraySlice<UInt8>) -> String {
      part.isEmpty ? "-" : String(decoding: part, as: UTF8.self)
    }
  }

  /// Adds a line about an exchange that has ended.
  func record(_ line: Line) {
    let milliseconds = Double(line.total.nanoseconds / 1_000) / 1_000
    let time = Timestamp.milliseconds(line.at + line.total)
    let target = masked(line.target)
    switch format {
    case .off: break
    case .text:
      let fault = line.plan.map { " planned: " + $0.description } ?? ""
      let refusal = line.refusal.map { " refused: " + $0 } ?? ""
      let start = "\(time) \(line.sandbox) \(line.method) \(target) \(line.status.map(String.init) ?? "-")"
      lines += (start + " \(line.bytes) B \(milliseconds) ms\(fault)\(refusal)").printable.utf8
      lines.append(UInt8(ascii: "\n"))
    case .json:
      var entry: JSONValue = [
        "at": .string(time), "sandbox": .string(line.sandbox), "id": .int(line.id),
        "method": .string(line.method), "target": .string(target), "status": line.status.map(JSONValue.int) ?? .null,
        "bytes": .int(line.bytes),
        "milliseconds": .number(JSONValue.Number(milliseconds)),
      ]
      if let refusal = line.refusal { entry = entry.merging(["refused": .string(refusal)]) }
      if let plan = line.plan { entry = entry.merging(["planned": .string(plan.description)]) }
      lines += entry.text.printableJSON.utf8
      lines.append(UInt8(ascii: "\n"))
    }
  }

  /// Returns a target without the token, which some clients put into the query.
  private func masked(_ target: String) -> String {
    let target = secrets.masked(target: target)
    guard let token else { return target }
    return [token, PercentCoding.encodeSegment(token)].reduce(target) { $0.replacing($1, with: "(masked)") }
  }

  /// Writes a notice behind the lines so far, also if requests are not logged.
  func notify(_ notice: String) {
    flush()
    handOver(Array((notice.printable + "\n").utf8), upTo: Queue.maximumBytesWithNotices)
  }

  /// Hands the collected lines to the thread that writes them, so that no turn waits for their reader.
  func flush() {
    guard isOn, !lines.isEmpty else { return }
    handOver(lines, upTo: Queue.maximumBytes)
    lines.removeAll(keepingCapacity: true)
  }

  private func handOver(_ lines: [UInt8], upTo maximum: Int) {
    let isIdle = queue.withLock { queue in
      queue.add(lines, upTo: maximum)
      defer { queue.isWriting = true }
      return !queue.isWriting
    }
    guard isIdle else { return }
    writer.run(
      { [queue, format, write] in
        while let bytes = queue.withLock({ $0.next(in: format) }) {
          write(bytes)
        }
      }, completion: { _ in })
  }

  /// Waits until all lines are written, for at most a second.
  func finish() {
    flush()
    // The thread does one thing after the other.
    guard queue.withLock({ $0.isWriting }) else { return }
    let end = DispatchSemaphore(value: 0)
    writer.run({}, completion: { _ in end.signal() })
    _ = end.wait(timeout: .now() + 1)
  }

  /// The lines that wait for the thread.
  struct Queue: Sendable {
    private var lines: [UInt8] = []
    private var droppedCount = 0
    /// True while the thread writes lines.
    var isWriting = false

    /// About ten thousand lines.
    static let maximumBytes = 1 << 20
    /// Notices are few, and are not lost in a flood of requests.
    static let maximumBytesWithNotices = 2 * maximumBytes

    /// Adds lines. If others wait because their reader is slow, and all together would be too many, these are dropped and
    /// counted.
    mutating func add(_ added: [UInt8], upTo maximum: Int = maximumBytes) {
      guard lines.isEmpty || lines.count + added.count <= maximum else {
        droppedCount += added.count { $0 == UInt8(ascii: "\n") }
        return
      }
      lines += added
    }

    /// Returns the lines to write next, the last one about those that were dropped; nil if there are none.
    mutating func next(in format: MockServer.Options.LogFormat) -> [UInt8]? {
      defer { (lines, droppedCount) = ([], 0) }
      if droppedCount > 0 {
        let text = "\(droppedCount) lines were dropped, because the reader of this log was slow"
        let entry: JSONValue = ["dropped": .int(droppedCount), "reason": .string(text)]
        lines += (format == .json ? entry.text : "understudy: " + text).utf8
        lines.append(UInt8(ascii: "\n"))
      }
      isWriting = !lines.isEmpty
      return lines.isEmpty ? nil : lines
    }
  }
}
