/// A connection on which requests are written and answers read, as HTTP/1.1 frames them (RFC 9112 section 6.3).
final class Connection {
  private let socket: Socket
  private let deadline: Deadline
  /// What came and was not asked for yet.
  private var received: [UInt8] = []
  private var ending: Socket.Received?

  init?(to addresses: [SocketAddress], until deadline: Deadline) {
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

  /// How a connection ended.
  enum End: Equatable {
    /// FIN, after these bytes.
    case finished(String)
    case reset
    case silence
  }

  /// Reads to the end, whatever it is.
  func end() -> End {
    while ending == nil { receiveMore() }
    switch ending {
    case .finished: return .finished(String(decoding: received, as: UTF8.self))
    case .reset: return .reset
    default: return .silence
    }
  }

  private func receiveMore() {
    // Who sends without end must not fill the memory of the one who judges.
    guard received.count <= Self.longest else { return ending = .silence }
    switch socket.receive(until: deadline) {
    case .bytes(let bytes): received += bytes
    case let end: ending = end
    }
  }

  /// Whether the server has closed before any byte of an answer came.
  func hasEndedUnused() -> Bool {
    if received.isEmpty, ending == nil { receiveMore() }
    return received.isEmpty && (ending == .finished || ending == .reset)
  }
}

extension Connection {
  /// Reads exactly one answer, an interim one included.
  ///
  /// - Parameter asked: The method and target that it answers: HEAD has no body whatever the fields say.
  func answer(to asked: String) throws(Finding) -> Answer {
    let blank = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if let end = received[searched...].firstRange(of: blank) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        guard var answer = Answer(head: head, asked: asked) else {
          throw .failed(expected: "a status line and fields to \(asked)", found: "«\(head.prefix(120))»")
        }
        received.removeSubrange(..<end.upperBound)
        if !asked.hasPrefix("HEAD ") { answer.body = try body(of: answer) }
        return answer
      }
      searched = max(0, received.count - 3)
      try wait(for: "an answer to \(asked)")
    }
  }

  private func body(of answer: Answer) throws(Finding) -> [UInt8] {
    if (100..<200).contains(answer.status) || answer.status == 204 || answer.status == 304 { return [] }
    if answer["Transfer-Encoding"]?.lowercased() == "chunked" { return try chunks(of: answer) }
    guard let field = answer["Content-Length"] else {
      while ending == nil { receiveMore() }
      return try take(received.count, answer)
    }
    guard let length = Answer.number(field), (0...Self.longest).contains(length) else {
      throw .failed(expected: "a Content-Length that is a number", found: "\(field) to \(answer.asked)")
    }
    return try take(length, answer)
  }

  /// Longer bodies are nobody's here.
  private static let longest = 64 << 20

  private func chunks(of answer: Answer) throws(Finding) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try self.line(answer)
      guard let size = Answer.number(line.prefix { $0 != ";" }, radix: 16), (0...Self.longest).contains(size) else {
        throw .failed(expected: "a chunk's size in hexadecimal digits", found: "«\(line)» to \(answer.asked)")
      }
      if size == 0 { break }
      body += try take(size, answer)
      guard try self.line(answer).isEmpty else {
        throw .failed(expected: "CRLF behind a chunk", found: "other bytes to \(answer.asked)")
      }
    }
    while try !self.line(answer).isEmpty {}
    return body
  }

  private func line(_ answer: Answer) throws(Finding) -> String {
    while true {
      if let end = received.firstRange(of: [0x0D, 0x0A]) {
        defer { received.removeSubrange(..<end.upperBound) }
        return String(decoding: received[..<end.lowerBound], as: UTF8.self)
      }
      try wait(for: "the chunked body to \(answer.asked)")
    }
  }

  private func take(_ count: Int, _ answer: Answer) throws(Finding) -> [UInt8] {
    while received.count < count { try wait(for: "\(count) bytes of body to \(answer.asked)") }
    defer { received.removeSubrange(..<count) }
    return Array(received[..<count])
  }

  private func wait(for expected: String) throws(Finding) {
    if ending == nil { receiveMore() }
    let how: String
    switch ending {
    case nil, .bytes: return
    case .finished: how = "the connection closed"
    case .reset: how = "the connection reset"
    case .silence: how = "silence until the time was up"
    }
    let rest = String(decoding: received.prefix(80), as: UTF8.self)
    throw .failed(expected: expected, found: how + (rest.isEmpty ? "" : " after «\(rest)»"))
  }
}
