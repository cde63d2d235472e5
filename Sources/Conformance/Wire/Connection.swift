/// A connection on which requests are written and answers read, as HTTP/1.1 frames them (RFC 9112 section 6.3).
final class Connection {
  private let socket: Socket
  private let deadline: Deadline
  /// What came and was not asked for yet.
  private(set) var received: [UInt8] = []
  private var ending: Socket.Received?
  private let began = ContinuousClock.now
  /// When the last bytes came.
  private var arrival: ContinuousClock.Instant?

  /// Connects to the first address that can be reached.
  init?(to addresses: [SocketAddress], until deadline: Deadline) {
    // Not by a lazy `compactMap`: its `first` would connect twice, and end the program where only the first one holds.
    var socket: Socket?
    for address in addresses where socket == nil { socket = Socket(to: address, until: deadline) }
    guard let socket else { return nil }
    self.socket = socket
    self.deadline = deadline
  }

  func send(_ text: String) throws(Finding) { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws(Finding) {
    guard socket.send(bytes, until: deadline) else {
      throw .failed(expected: "the server to take \(bytes.count) bytes", found: "it did not")
    }
  }

  /// Sends as much as the server still takes: who answers early and closes need not take all.
  func sendWhatIsTaken(_ bytes: [UInt8]) { _ = socket.send(bytes, until: deadline) }

  func finishWriting() { socket.finishWriting() }

  /// Reads to the end, whatever it is.
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
      arrival = .now
    case let end: ending = end
    }
  }

  /// Whether the server was still sending when the time was up: its last bytes came in the last tenth of it.
  private var wasSending: Bool {
    guard let arrival else { return false }
    return Self.isSending(began: began, arrival: arrival, end: deadline)
  }

  static func isSending(began: Deadline, arrival: Deadline, end: Deadline) -> Bool {
    arrival.duration(to: end) * 10 < began.duration(to: end)
  }

  /// Waits for more bytes.
  ///
  /// - Parameter orFinish: Whether FIN will do as well.
  func wait(for expected: String, orFinish: Bool = false) throws(Finding) {
    if ending == nil { receiveMore() }
    let how: String
    switch ending {
    case nil, .bytes: return
    case .finished where orFinish: return
    case .finished: how = "the connection closed"
    case .reset: how = "the connection reset"
    case .unread: how = Self.stillSending
    case .silence: how = wasSending ? Self.stillSending : "silence until the time was up"
    }
    throw .failed(expected: expected, found: how + (received.isEmpty ? "" : " after \(beginning)"))
  }

  private static let stillSending = "a server that kept sending until the time was up"

  /// The first of what came, for the evidence.
  var beginning: String { "«\(String(decoding: received.prefix(80), as: UTF8.self))»" }

  var hasFinished: Bool { ending == .finished }

  /// Takes the first bytes away, which have been understood.
  func drop(_ count: Int) { received.removeSubrange(..<count) }

  /// Whether the server has closed before any byte of an answer came.
  func hasEndedUnused() -> Bool {
    if received.isEmpty, ending == nil { receiveMore() }
    return received.isEmpty && (ending == .finished || ending == .reset)
  }
}

extension Connection {
  /// How a connection ended.
  enum End: Equatable, CustomStringConvertible {
    /// FIN, after these bytes.
    case finished(String)
    case reset
    case silence
    /// The time was up, and bytes still came.
    case sending
    /// More came than anybody reads.
    case endless

    var description: String {
      switch self {
      case .finished(let text): text.isEmpty ? "FIN" : "FIN after «\(text.prefix(80))»"
      case .reset: "a reset"
      case .silence: "silence until the time was up"
      case .sending: "bytes until the time was up"
      case .endless: "more than \(Bound.body >> 20) MiB"
      }
    }
  }

  /// How much is read of what no server should send: it must not fill the memory of the one who judges.
  ///
  /// Nothing that the contract serves comes near to these, in bytes.
  enum Bound {
    static let head = 64 << 10
    static let body = 8 << 20
    /// A chunk's size and its extensions, or a trailer.
    static let line = 8 << 10
    /// All trailers of one body.
    static let trailers = 64 << 10
    /// Interim responses before one answer.
    static let interims = 16
  }
}
