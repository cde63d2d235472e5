import Primitives

/// The receiving side of a client's connection: bytes in, steps out, without a socket or a clock (RFC 9112).
///
/// Content is not collected: each step has the decoded bytes that have arrived. After an error it ignores further bytes
/// and throws the same error again.
package struct ResponseParser: Sendable {
  package enum Step: Sendable {
    case needsMore
    /// A complete response that precedes the final one (RFC 9110 15.2).
    case interim(ReceivedHead)
    /// The head of the final response.
    case head(ReceivedHead)
    /// The next bytes of its content, decoded; never empty.
    case content([UInt8])
    /// The response is complete. `begin(toHead:)` goes on to the next one.
    case end
  }

  private enum State: Sendable {
    case line
    case fields(StatusLine)
    case length(Int)
    case chunks, trailers, untilClose, ended
  }

  /// The number of interim responses before a final one. A server that works for long may send one every few seconds.
  package static let maximumInterims = 100

  private var state = State.line
  private var buffer: ContiguousArray<UInt8> = []
  /// The index of the first byte that is not read yet.
  private var position = 0
  private var fields = FieldScanner(acceptsBlankBeforeColon: true)
  private var chunks = ChunkScanner()
  private var isToHead: Bool
  private var interims = 0
  private var hasFinished = false
  private var isBroken = false
  private var error: ResponseError?

  /// Creates a parser of the responses on one connection.
  ///
  /// - Parameter toHead: True if the first of them answers HEAD, and so has no content.
  package init(toHead: Bool = false) { isToHead = toHead }

  /// The bytes that belong to no response that was read so far.
  package var unread: ArraySlice<UInt8> { buffer[position...] }

  /// Goes on to the next response of a connection that persists.
  package mutating func begin(toHead: Bool) {
    isToHead = toHead
    interims = 0
    beginHead()
  }

  /// Receives bytes from the peer.
  package mutating func receive(_ bytes: [UInt8]) {
    guard error == nil else { return }
    buffer.append(contentsOf: bytes)
  }

  /// Records that the peer has sent its last byte.
  ///
  /// - Parameter isBroken: True if the connection failed, which is no end of content that ends with the connection.
  package mutating func finish(isBroken: Bool = false) {
    hasFinished = true
    self.isBroken = isBroken
  }

  /// Returns the next step. To be called until it returns `needsMore` or `end`.
  package mutating func next() throws(ResponseError) -> Step {
    if let error { throw error }
    do throws(ResponseError) {
      let step = try advance()
      guard case .needsMore = step, hasFinished else { return step }
      if case .untilClose = state, !isBroken {
        state = .ended
        return .end
      }
      let isUnused = if case .line = state { buffer.isEmpty && interims == 0 } else { false }
      throw isUnused ? .empty : .cut
    } catch {
      self.error = error
      throw error
    }
  }

  private mutating func advance() throws(ResponseError) -> Step {
    while true {
      switch state {
      case .line:
        guard let line = try StatusLine(buffer, limit: Limits.response.requestLine) else { return .needsMore }
        position = line.end
        fields.begin(at: position)
        state = .fields(line)
      case .fields(let line):
        guard try scanFields(Limits.response.head, Limits.response.fields) else { return .needsMore }
        return try endHead(line)
      case .length(0): state = .ended
      case .length(let rest):
        guard position < buffer.count else { return .needsMore }
        let count = min(rest, buffer.count - position)
        state = .length(rest - count)
        return .content(take(position..<position + count))
      case .chunks:
        let isLast = scanChunks()
        let data = chunks.body
        // The data before an error is delivered first, so that it does not matter how the bytes were divided.
        if let error, data.isEmpty { throw error }
        if isLast { state = .trailers }
        guard !data.isEmpty else {
          guard isLast else { return .needsMore }
          fields.begin(at: position)
          continue
        }
        let bytes = Array(buffer[data])
        dropPast()
        chunks.dropBody(at: position)
        fields.begin(at: position)
        return .content(bytes)
      case .trailers:
        guard try scanFields(Limits.response.trailers, Limits.response.trailerFields) else { return .needsMore }
        state = .ended
      case .untilClose:
        guard position < buffer.count else { return .needsMore }
        return .content(take(position..<buffer.count))
      case .ended: return .end
      }
    }
  }

  private mutating func endHead(_ line: StatusLine) throws(ResponseError) -> Step {
    let head: ReceivedHead
    do throws(Rejection) {
      head = try ReceivedHead(Array(buffer[..<position]), line, fields.fields, isToHead: isToHead)
    } catch {
      throw .syntax(error)
    }
    guard !head.isInterim else {
      interims += 1
      guard interims <= Self.maximumInterims else { throw .endlessInterim }
      beginHead()
      return .interim(head)
    }
    switch head.content {
    case .none: state = .ended
    case .length(let length): state = .length(length)
    case .chunked:
      chunks.begin(at: position)
      state = .chunks
    case .close: state = .untilClose
    }
    return .head(head)
  }

  /// Goes on to a head. Its first byte gets the index 0, to which the ranges of its fields refer.
  private mutating func beginHead() {
    dropPast()
    state = .line
  }

  /// Returns the bytes in a range that ends the bytes read so far.
  private mutating func take(_ range: Range<Int>) -> [UInt8] {
    let bytes = Array(buffer[range])
    position = range.upperBound
    dropPast()
    return bytes
  }

  private mutating func dropPast() {
    if position == buffer.count { buffer.removeAll(keepingCapacity: true) } else { buffer.removeSubrange(..<position) }
    position = 0
  }

  private mutating func scanFields(_ size: Int, _ count: Int) throws(ResponseError) -> Bool {
    do throws(Rejection) {
      return try fields.scan(buffer, &position, size: size, count: count)
    } catch {
      throw .syntax(error)
    }
  }

  /// Returns true after the last chunk's line. An error is recorded, and the data before it is not lost.
  private mutating func scanChunks() -> Bool {
    do throws(Rejection) {
      return try chunks.scan(&buffer, &position, .response)
    } catch {
      self.error = .syntax(error)
      return false
    }
  }
}
