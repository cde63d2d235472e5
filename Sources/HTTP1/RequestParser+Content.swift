import Primitives

/// Content that comes in parts, after its request has begun.
extension RequestParser {
  package enum ContentStep: Sendable {
    case needsMore
    /// The next bytes, decoded; never empty.
    case part([UInt8])
    /// The content is complete.
    case end
    case rejected(Rejection)
  }

  /// Returns the request whose content is arriving, with the content so far. It is the last one of its connection.
  package mutating func takePart() -> Request {
    guard let target = head.target else { preconditionFailure("content comes after a target") }
    let body: Range<Int>
    switch state {
    case .length(let length):
      body = position..<buffer.count
      state = .lengthRest(length - body.count)
      position = buffer.count
    case .chunks:
      body = chunks.body
      state = .chunksRest
    default: preconditionFailure("a part is taken of content that is arriving")
    }
    let request = Request(
      bytes: [UInt8](buffer), head: line.start..<head.end, method: line.method,
      knownMethod: line.knownMethod,
      target: line.target, targetForm: target.form, path: target.path, query: target.query,
      version: line.version,
      host: head.framing.host, fields: section.scanner.fields, section: sectionNumber,
      knownFields: section.scanner.names, body: body, isPartial: true, trailers: [], persists: false
    )
    dropRead()
    line = RequestLineScanner()
    head = Head()
    return request
  }

  /// Begins another protocol after the request that was taken.
  package mutating func beginTunnel() {
    dropRead()
    line = RequestLineScanner()
    head = Head()
    state = .tunnel
  }

  /// True if the bytes belong to another protocol, which says itself where it ends.
  package var isTunnel: Bool { if case .tunnel = state { true } else { false } }

  /// Returns the next part of the content. To be called until it returns another step.
  package mutating func nextContent() -> ContentStep {
    do throws(Rejection) {
      while true {
        switch state {
        case .lengthRest(0):
          end()
          return .end
        case .lengthRest(let rest):
          let part = Array(buffer.prefix(rest))
          guard !part.isEmpty else { return .needsMore }
          buffer.removeAll(keepingCapacity: true)
          position = 0
          state = .lengthRest(rest - part.count)
          return .part(part)
        case .chunksRest:
          if try chunks.scan(&buffer, &position, limits) { state = .trailersRest }
          let part = Array(buffer[chunks.body])
          dropRead()
          trailers.begin(at: position)
          if !part.isEmpty { return .part(part) }
          guard case .trailersRest = state else { return .needsMore }
        case .trailersRest:
          guard
            try trailers.scan(buffer, &position, size: limits.trailers, count: limits.trailerFields)
          else {
            return .needsMore
          }
          end()
          return .end
        case .tunnel:
          let part = Array(buffer)
          guard !part.isEmpty else { return .needsMore }
          buffer.removeAll(keepingCapacity: true)
          return .part(part)
        default: return .needsMore
        }
      }
    } catch {
      end()
      return .rejected(error)
    }
  }

  /// Awaits all of the content that is arriving, up to a limit.
  package mutating func awaitContent(atMost limit: Int) { contentLimit = limit }

  /// Discards the bytes that were read; content was taken.
  mutating func dropRead() {
    buffer.removeSubrange(..<position)
    position = 0
    chunks.dropBody(at: 0)
  }
}
