package import Contract
package import HTTP1

/// Writes a reply as a message: status line, fields, body.
package struct MessageWriter: Sendable {
  private var date = DateField()

  package init() {}

  /// Where the parts of a written message lie in the output.
  package struct Extent: Sendable, Equatable {
    package let start: Int
    /// The end of the status line.
    package let fields: Int
    package let body: Int
    package let end: Int
  }

  /// What a message says besides the reply itself.
  package struct Context {
    package var operation: Contract.Operation?
    /// Replies of the five APIs are open to web pages; those of the control API are not.
    package var isOpen: Bool
    package var requestID: Int
    package var isHead: Bool
    package var preflight: Preflight?
    package var connection: ConnectionOption

    package init(
      operation: Contract.Operation? = nil, isOpen: Bool = false, requestID: Int = 0, isHead: Bool = false,
      preflight: Preflight? = nil, connection: ConnectionOption = .unneeded
    ) {
      self.operation = operation
      self.isOpen = isOpen
      self.requestID = requestID
      self.isHead = isHead
      self.preflight = preflight
      self.connection = connection
    }
  }

  /// Appends a whole message to `output`.
  package mutating func write(_ reply: Reply, _ context: Context, at now: Instant, to output: inout [UInt8]) -> Extent {
    let start = output.count
    ResponseHead.appendStatusLine(reply.status, to: &output)
    let fields = output.count
    output += date.line(at: now)
    if let operation = context.operation { Self.writeValidators(of: reply, operation, to: &output) }
    for field in reply.fields { ResponseHead.appendField(field.name, field.value, to: &output) }
    if context.isOpen { CrossOrigin.write(context.preflight, to: &output) }
    if context.requestID > 0 { ResponseHead.appendField("Understudy-Request", number: context.requestID, to: &output) }
    ResponseHead.appendConnection(context.connection, to: &output)
    // 204 and 304 never have a body, and must not announce one (RFC 9110 section 8.6).
    let body = reply.status == 204 || reply.status == 304 ? nil : reply.representation
    if let body { ResponseHead.appendField("Content-Type", body.mediaType.rawValue, to: &output) }
    if reply.status != 204, reply.status != 304 {
      ResponseHead.appendContentLength(body?.bytes.count ?? 0, to: &output)
    }
    ResponseHead.appendEnd(to: &output)
    let bodyStart = output.count
    if let body, !context.isHead { output += body.bytes }
    return Extent(start: start, fields: fields, body: bodyStart, end: output.count)
  }

  private static func writeValidators(
    of reply: Reply, _ operation: Contract.Operation, to output: inout [UInt8]
  ) {
    guard reply.status < 400 else { return }
    if operation.validator != .none, reply.status == 200 || reply.status == 304, let tag = reply.representation?.tag {
      let shown = EntityTag(hash: tag.hash, isWeak: operation.validator == .weak)
      ResponseHead.appendField("ETag", shown.text, to: &output)
    }
    if let cacheControl = operation.cacheControl {
      ResponseHead.appendField("Cache-Control", cacheControl, to: &output)
    }
  }
}

/// The `Date` field (RFC 9110 section 6.6.1), made once a second. It tells the machine's time, not a sandbox's.
private struct DateField: Sendable {
  private var second: Int64 = .min
  private var bytes: [UInt8] = []

  mutating func line(at now: Instant) -> [UInt8] {
    let current = now.nanoseconds / 1_000_000_000
    if current != second {
      second = current
      bytes = Array("Date: \(HTTPDate.text(now))\r\n".utf8)
    }
    return bytes
  }
}
