import Primitives

/// The parser's result for the bytes so far.
package enum Step: Sendable {
  /// More bytes are needed, for this part of a request.
  case needsMore(RequestParser.Phase)
  /// The client waits for `100 Continue` before it sends its content; reported once (RFC 9110 10.1.1).
  case expectsContinue
  /// A request is complete; `takeRequest()` returns it.
  case request
  /// The connection must be answered and closed.
  case rejected(Rejection)
}

/// The receiving side of a connection: bytes in, steps out, without a socket or a clock (RFC 9112).
///
/// After a rejection, or after a request that does not persist, it ignores further bytes, and only says that it has ended.
package struct RequestParser: ~Copyable, Sendable {
  /// The part of a request that the parser expects next, which determines the server's timeout.
  package enum Phase: Sendable, Equatable {
    /// The parser waits for the first byte of a request.
    case idle
    case head
    case body
    /// The parser has finished; further bytes are ignored.
    case ended
  }

  enum State: Sendable {
    case line, fields, length(Int), chunks, trailers, ended
    case complete(body: Range<Int>)
    /// The rest of content whose request has begun.
    case lengthRest(Int)
    case chunksRest, trailersRest
    /// Bytes of another protocol.
    case tunnel
  }

  package let limits: Limits
  /// The limit of the content of the current request; nil if it is the one of all.
  var contentLimit: Int?
  var state = State.line
  var buffer: ContiguousArray<UInt8> = []
  var position = 0
  var line = RequestLineScanner()
  private(set) var section = FieldSection()
  /// The number of the current field section. One that repeats the section before keeps its number; a parser that got the
  /// storage of another one begins a new number.
  private(set) var sectionNumber = 0
  var chunks = ChunkScanner()
  var trailers = FieldScanner()
  var head = Head()
  /// The request that was rejected or timed out, as far as it had been read; nil if not even its method was known.
  private var refused: Request?

  struct Head: Sendable {
    var end = 0
    var target: RequestTarget?
    var framing = Framing()
    var owesContinue = false
  }

  package init(limits: Limits = .standard) {
    self.limits = limits
  }

  /// The part of a request that the parser expects next.
  package var phase: Phase {
    switch state {
    case .line: line.isPristine && position == buffer.count ? .idle : .head
    case .fields: .head
    case .length, .chunks, .trailers, .complete, .lengthRest, .chunksRest, .trailersRest, .tunnel:
      .body
    case .ended: .ended
    }
  }

  /// True if the request line has been read and the request is still incomplete.
  var hasReadLine: Bool {
    switch state {
    case .line, .ended, .lengthRest, .chunksRest, .trailersRest, .tunnel: false
    case .fields, .length, .chunks, .trailers, .complete: true
    }
  }

  /// The number of stored bytes of a request whose content is arriving; 0 for others.
  var arrivingBytes: Int {
    switch state {
    case .length, .chunks, .trailers: buffer.count
    case .line, .fields, .complete, .ended, .lengthRest, .chunksRest, .trailersRest, .tunnel: 0
    }
  }

  /// The number of bytes that have arrived of content that is incomplete; nil if none is arriving.
  var arrivedContent: Int? {
    switch state {
    case .length: buffer.count - position
    case .chunks: chunks.body.count
    default: nil
    }
  }

  /// True if no byte of the next request has arrived.
  package var isIdle: Bool { phase == .idle }

  /// Receives bytes from the peer.
  package mutating func receive(_ bytes: consuming ArraySlice<UInt8>) {
    switch phase {
    case .idle:
      // A single large request must not leave an idle connection with a large buffer.
      if buffer.capacity > 64 << 10 { buffer = [] }
      buffer.replaceSubrange(buffer.startIndex..., with: bytes)
      position = 0
    case .head, .body:
      makeRoom()
      buffer.append(contentsOf: bytes)
    case .ended: break
    }
  }

  /// Returns the next step. To be called until it returns `needsMore`; a request must be taken before the next call.
  package mutating func next() -> Step {
    do {
      return try advance()
    } catch {
      giveUp()
      return .rejected(error)
    }
  }

  /// Records that the peer has sent its last byte; to be called after `next()` returned `needsMore`.
  ///
  /// An incomplete request is a rejection. Between requests there is nothing to answer (RFC 9112 8).
  package mutating func finish() -> Rejection? {
    let isCut = phase == .head || phase == .body
    if isCut { giveUp() } else { end() }
    return isCut ? .truncated : nil
  }

  /// Stops reading: the request timed out or was refused.
  package mutating func giveUp() {
    refused = unfinished
    end()
  }

  /// Releases the buffer if it is empty, so that idle connections use no memory for it.
  package mutating func releaseBuffer() {
    guard phase == .idle || phase == .ended else { return }
    buffer = []
    position = 0
    section.release()
    trailers.release()
  }
}

extension RequestParser {
  private mutating func advance() throws(Rejection) -> Step {
    while true {
      switch state {
      case .line:
        guard phase != .idle, try line.scan(buffer, &position, limits) else {
          return .needsMore(phase)
        }
        head.target = try RequestTarget(
          line, buffer.span, acceptsUnencodedTargets: limits.acceptsUnencodedTargets)
        state = .fields
        if section.begin(buffer, &position, line.version) { endHead() } else { sectionNumber += 1 }
      case .fields:
        guard try section.scan(buffer, &position, limits) else { return .needsMore(.head) }
        endHead()
      case .length(let length):
        guard length <= contentLimit ?? limits.body else { throw .bodyTooLarge }
        guard buffer.count - position >= length else { return stepWithoutBody() }
        state = .complete(body: position..<position + length)
      case .chunks:
        guard try chunks.scan(&buffer, &position, contentLimits) else { return stepWithoutBody() }
        trailers.begin(at: position)
        state = .trailers
      case .trailers:
        guard try trailers.scan(buffer, &position, size: limits.trailers, count: limits.trailerFields) else {
          return .needsMore(.body)
        }
        state = .complete(body: chunks.body)
      case .complete: return .request
      case .lengthRest, .chunksRest, .trailersRest, .tunnel: return .needsMore(.body)
      case .ended: return .needsMore(.ended)
      }
    }
  }

  private var contentLimits: Limits {
    var limits = limits
    limits.body = contentLimit ?? limits.body
    return limits
  }

  private mutating func endHead() {
    guard let target = head.target else { preconditionFailure("fields come after a target") }
    head.end = position
    head.framing = section.framing.adapted(to: target.form)
    head.owesContinue = head.framing.expectsContinue
    switch head.framing.content {
    case .none: state = .complete(body: position..<position)
    case .length(let length): state = .length(length)
    case .chunked:
      chunks.begin(at: position)
      state = .chunks
    }
  }

  /// `100 Continue` is owed only while no byte of the content has arrived (RFC 9110 10.1.1).
  private mutating func stepWithoutBody() -> Step {
    let isOwed = head.owesContinue && buffer.count == head.end
    head.owesContinue = false
    return isOwed ? .expectsContinue : .needsMore(.body)
  }

  /// True if the connection may persist after the response to the request that is complete.
  package var persists: Bool { head.framing.persists }

  /// Returns the request that `next()` reported, and goes on to the one after it.
  package mutating func takeRequest() -> Request {
    guard case .complete(let body) = state, let target = head.target else {
      preconditionFailure("a request is taken after the step that reported it")
    }
    let isChunked = head.framing.content == .chunked
    if !isChunked { position = body.upperBound }
    defer {
      if !head.framing.persists { end() } else { state = .line }
      line = RequestLineScanner()
      head = Head()
      contentLimit = nil
    }
    return Request(
      bytes: [UInt8](buffer), head: line.start..<head.end, method: line.method, knownMethod: line.knownMethod,
      target: line.target, targetForm: target.form, path: target.path, query: target.query, version: line.version,
      host: head.framing.host, fields: section.scanner.fields, section: sectionNumber,
      knownFields: section.scanner.names, body: body, isPartial: false,
      trailers: isChunked ? trailers.fields.filter { field in field.known == nil } : [],
      persists: head.framing.persists)
  }

  /// Returns the request that was rejected or given up, as far as it was read.
  package mutating func takeRefusedRequest() -> Request { refused.take() ?? .unknown }

  mutating func end() {
    state = .ended
    releaseBuffer()
  }

  /// Discards the processed bytes before new ones are added, so that the buffer stays as small as one request allows.
  private mutating func makeRoom() {
    switch state {
    case .line, .fields: dropPast()
    case .chunks where position == buffer.count: chunks.discardFraming(&buffer, &position)
    case .chunksRest where position == buffer.count: dropRead()
    case .length, .chunks, .trailers, .complete, .lengthRest, .chunksRest, .trailersRest, .tunnel,
      .ended:
      break
    }
  }

  private mutating func dropPast() {
    let start = line.hasBegun ? line.start : position
    // The kept bytes are parsed again, but there are at most as many of them as of the discarded ones, so the total
    // cost stays linear.
    guard start > 0, start >= buffer.count - start else { return }
    buffer.removeSubrange(0..<start)
    position = 0
    guard line.hasBegun else { return }
    line = RequestLineScanner()
    state = .line
  }
}
