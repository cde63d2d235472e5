import Platform

/// A connection on which requests are written and responses are read, framed as HTTP/1.1 (RFC 9112 section 6.3).
final class Connection {
  private let socket: ClientSocket
  private let deadline: Deadline
  /// The bytes that were received and not consumed yet.
  private(set) var received: [UInt8] = []
  /// The first bytes of the current response, for the evidence.
  private var start: [UInt8] = []
  private var ending: ClientSocket.Received?
  private let began = ContinuousClock.now
  /// The time at which the last bytes arrived.
  private var arrival: ContinuousClock.Instant?

  /// Connects to the first reachable address.
  init?(to addresses: [SocketAddress], until deadline: Deadline) {
    // A lazy `compactMap` with `first` would connect twice, and crash if only the first attempt succeeds.
    guard let socket = try? ClientSocket.connected(toFirstOf: addresses, until: deadline) else { return nil }
    self.socket = socket
    self.deadline = deadline
  }

  func send(_ text: String) throws(EarlyEnd) { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws(EarlyEnd) {
    guard socket.send(bytes, until: deadline) else {
      throw .failed(expected: "the server to accept \(bytes.count) bytes", found: "it did not accept them")
    }
  }

  /// Sends as many bytes as the server accepts: a server that answers early and closes need not read all of them.
  func sendWhatIsTaken(_ bytes: [UInt8]) { _ = socket.send(bytes, until: deadline) }

  func finishWriting() { socket.finishWriting() }

  /// Reads until the connection ends, and returns how it ended.
  func end() -> End {
    while ending == nil, received.count <= Bound.head + Bound.body { receiveMore() }
    let bytes = received
    return switch ending {
    case .finished: .finished(String(decoding: bytes, as: UTF8.self))
    case .reset: .reset
    case .unread: .sending
    case .silence: wasSending ? .sending : .silence
    case nil, .bytes: .endless
    }
  }

  private func receiveMore() {
    switch socket.receive(until: deadline) {
    case .bytes(let bytes):
      received += bytes
      start += bytes.prefix(Bound.evidence - start.count)
      arrival = .now
    case let end: ending = end
    }
  }

  /// True if the server was still sending at the deadline: its last bytes arrived in the last tenth of the time.
  private var wasSending: Bool {
    guard let arrival else { return false }
    return Self.isSending(began: began, arrival: arrival, end: deadline)
  }

  static func isSending(began: Deadline, arrival: Deadline, end: Deadline) -> Bool {
    arrival.duration(to: end) * 10 < began.duration(to: end)
  }

  /// Waits for more bytes.
  ///
  /// - Parameter orFinish: True to accept FIN as well.
  func wait(for expected: String, orFinish: Bool = false) throws(EarlyEnd) {
    if ending == nil { receiveMore() }
    let how: String
    switch ending {
    case nil, .bytes: return
    case .finished where orFinish: return
    case .finished: how = "the connection closed"
    case .reset: how = "the connection reset"
    case .unread: how = Self.stillSending
    case .silence: how = wasSending ? Self.stillSending : "silence until the time limit"
    }
    throw .failed(expected: expected, found: how + afterBeginning)
  }

  private static let stillSending = "a server that was still sending at the time limit"

  /// The first bytes of the current response, for the evidence.
  var beginning: String { "«\(String(decoding: start, as: UTF8.self))»" }

  /// The same as the end of a sentence; empty if no byte has arrived.
  var afterBeginning: String { start.isEmpty ? "" : " after \(beginning)" }

  /// Goes on to the next response, which begins with the bytes that were not consumed.
  func beginResponse() { start = Array(received.prefix(Bound.evidence)) }

  var hasFinished: Bool { ending == .finished }

  /// Removes the first bytes, which have been consumed.
  func drop(_ count: Int) { received.removeSubrange(..<count) }

  /// Puts bytes back that were taken and not consumed.
  func prepend(_ bytes: ArraySlice<UInt8>) { received.insert(contentsOf: bytes, at: 0) }

  /// Returns true if the server closed the connection before any byte of a response.
  func hasEndedUnused() -> Bool {
    if received.isEmpty, ending == nil { receiveMore() }
    return received.isEmpty && (ending == .finished || ending == .reset)
  }
}

extension Connection {
  /// The end of a connection.
  enum End: Equatable, CustomStringConvertible {
    /// FIN, after these bytes.
    case finished(String)
    case reset
    case silence
    /// The deadline passed while bytes were still arriving.
    case sending
    /// More bytes arrived than the limit.
    case endless

    var description: String {
      switch self {
      case .finished(let text): text.isEmpty ? "FIN" : "FIN after «\(text.prefix(80))»"
      case .reset: "a reset"
      case .silence: "silence until the time limit"
      case .sending: "bytes until the time limit"
      case .endless: "more than \(Bound.body >> 20) MiB"
      }
    }
  }

  /// Limits on what is read from a server, in bytes: a faulty server must not fill the memory of this program.
  ///
  /// No response of the contract comes near these limits.
  enum Bound {
    static let head = 64 << 10
    static let body = 8 << 20
    /// The bytes of a response that a finding shows.
    static let evidence = 80
  }
}
