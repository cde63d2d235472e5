import Contract
import Faults
import HTTP1
import Primitives
import Services

/// Writes a response as a message: status line, fields, body.
final class MessageWriter {
  private var opening = MessageOpening.ofTheEpoch
  /// Prepared messages, each in the slot of its representation.
  private let prepared = (0..<PreparedMessage.slotCount).map { _ in PreparedMessage.Slot() }

  /// The properties of a message besides the response itself.
  struct Context {
    var operation: Contract.Operation?
    /// True for responses of the five APIs, which are open to web pages; those of the control API are not.
    var isOpen = false
    /// The value of the request's `Origin` field.
    var origin: ArraySlice<UInt8>?
    var requestID = 0
    var isHead = false
    var preflight: Preflight?
    var connection = ConnectionOption.unneeded
    /// True if a fault changed the content, so that caches must not store it (RFC 9111 section 5.2.2.5).
    var isUnstorable = false
    /// True if a long body is not copied behind the head; the layout still includes it.
    var leavesLongBody = false
    /// True if fields report the plan of the exchange.
    var reportsPlan = false

    /// True for a message to a client that is no web page, on a connection of which nothing has to be said.
    var isPlain: Bool {
      guard case .unneeded = connection else { return false }
      return isOpen && origin == nil && preflight == nil && requestID > 0 && !isUnstorable
    }

    /// True if a response has bytes after its head. 204 and 304 never have (RFC 9110 section 6.4.1).
    func hasBody(_ response: Response) -> Bool {
      response.status != 204 && response.status != 304 && !isHead && response.representation?.bytes.isEmpty == false
    }
  }

  /// Appends a whole message to `output`, except a long body that is sent from its own storage.
  ///
  /// - Parameter report: Appends the fields that report the plan of the exchange.
  func write(
    _ response: borrowing Response, _ context: borrowing Context, at now: Instant, to output: inout [UInt8],
    report: (inout [UInt8]) -> Void = { _ in }
  ) -> MessageLayout {
    if response.isForwarded, let head = response.forwarded {
      return Self.write(head, of: response, context, at: now, to: &output, report: report)
    }
    if let message = preparedMessage(of: response, context) {
      return write(message, context, at: now, to: &output, report)
    }
    let start = output.count
    let hasOwnPolicy = !response.fields.isEmpty && response.fields.contains { $0.name == PagePolicy.fieldName }
    prepareOpening(of: response.status, isInert: !hasOwnPolicy, at: now)
    output += opening.bytes
    Self.writeValidators(of: response, context, to: &output)
    if response.fields.isEmpty, context.isOpen, context.origin == nil, context.preflight == nil {
      report(&output)
      output += Self.isLinked(response, context) ? Self.openFieldsOfLinks : Self.openFields
    } else {
      Self.writeFields(of: response, context, to: &output, report)
    }
    if context.requestID > 0 {
      output += Self.requestName
      Digits.appendDecimal(context.requestID, to: &output)
      ResponseHead.appendEnd(to: &output)
    }
    ResponseHead.appendConnection(context.connection, to: &output)
    // 204 must not announce a body, and 304 need not (RFC 9110 section 8.6).
    if response.status != 204, response.status != 304 { Self.writeContentFields(of: response, context, to: &output) }
    ResponseHead.appendEnd(to: &output)
    let layout = MessageLayout(start: start, fields: start + opening.statusLine, body: output.count, end: output.count)
    guard context.hasBody(response), let body = response.representation else { return layout }
    if !context.leavesLongBody || body.bytes.count < OutputBuffer.minimumLongBody { output += body.bytes }
    return MessageLayout(
      start: start, fields: layout.fields, body: layout.body, end: layout.body + body.bytes.count)
  }

  /// Returns the prepared message of a response; nil if it has fields of its own, or its representation is new.
  private func preparedMessage(of response: borrowing Response, _ context: borrowing Context) -> PreparedMessage? {
    guard response.status == 200, response.fields.isEmpty, !response.isAltered, !response.isStream,
      context.isPlain, let operation = context.operation, let representation = response.representation
    else { return nil }
    let slot = prepared[PreparedMessage.index(of: representation)]
    if let known = slot.message, known.representation === representation, known.operation === operation {
      return known
    }
    guard slot.isSecondSight(of: representation) else { return nil }
    var fields: [UInt8] = []
    Self.writeValidators(of: response, context, to: &fields)
    let validators = fields.count
    fields += Self.isLinked(response, context) ? Self.openFieldsOfLinks : Self.openFields
    fields += Self.requestName
    let new = PreparedMessage(of: representation, operation, fields: fields, validators: validators)
    slot.message = new
    return new
  }

  /// Appends a prepared message.
  private func write(
    _ message: PreparedMessage, _ context: borrowing Context, at now: Instant, to output: inout [UInt8],
    _ report: (inout [UInt8]) -> Void
  ) -> MessageLayout {
    let start = output.count
    // The output of a rested connection has no storage, and would grow with each part.
    if start == 0 { output.reserveCapacity(Self.headCapacity + message.representation.bytes.count) }
    if message.opening.second != MessageOpening.second(of: now) {
      prepareOpening(of: 200, isInert: true, at: now)
      message.begin(with: opening)
    }
    if context.reportsPlan {
      output += message.start[..<message.endOfValidators]
      report(&output)
      output += message.start[message.endOfValidators...]
    } else {
      output += message.start
    }
    Digits.appendDecimal(context.requestID, to: &output)
    let body = output.count + message.restOfHead
    if context.isHead { output += message.rest[..<message.restOfHead] } else { output += message.rest }
    return MessageLayout(start: start, fields: start + message.opening.statusLine, body: body, end: output.count)
  }

  /// Prepares the beginning of a message, unless it is that of the previous message.
  private func prepareOpening(of status: Int, isInert: Bool, at now: Instant) {
    let second = MessageOpening.second(of: now)
    guard opening.second != second || opening.status != status || opening.isInert != isInert else { return }
    opening = MessageOpening(status: status, isInert: isInert, second: second)
  }

  /// Appends the operation's own fields, and those that open the APIs to web pages.
  private static func writeFields(
    of response: borrowing Response, _ context: borrowing Context, to output: inout [UInt8],
    _ report: (inout [UInt8]) -> Void
  ) {
    for field in response.fields { ResponseHead.appendField(field.name, field.value, to: &output) }
    report(&output)
    guard context.isOpen else { return }
    if !response.fields.contains(where: { $0.name == "Vary" }) {
      output += Self.isLinked(response, context) ? Self.varyOfLinks : Self.vary
    }
    CORS.write(origin: context.origin, context.preflight, to: &output)
  }

  /// True if the response has URLs of this server.
  private static func isLinked(_ response: borrowing Response, _ context: borrowing Context) -> Bool {
    if let operation = context.operation, operation.semantics.hasLinks { return response.status < 400 }
    return !response.fields.isEmpty && response.fields.contains { $0.name == VariedFields.link }
  }

  private static func writeContentFields(
    of response: borrowing Response, _ context: borrowing Context, to output: inout [UInt8]
  ) {
    if response.isStream {
      output += MediaType.eventStream.contentTypeLine
      if context.connection.allowsChunks { ResponseHead.appendChunked(to: &output) }
      return
    }
    guard let body = response.representation else { return ResponseHead.appendContentLength(0, to: &output) }
    output += body.contentFields
  }

  /// More than the bytes of most heads.
  private static let headCapacity = 1 << 10
  private static let requestName = Array("Understudy-Request: ".utf8)
  private static let noStore = Array("Cache-Control: no-store\r\n".utf8)

  private static let vary = Array("Vary: \(VariedFields.ofEveryResponse)\r\n".utf8)
  private static let varyOfLinks = Array("Vary: \(VariedFields.ofLinkedResponse)\r\n".utf8)
  /// The fields of a response of the APIs to a client that is not a web page.
  private static let openFields = fieldsToAll(vary)
  private static let openFieldsOfLinks = fieldsToAll(varyOfLinks)

  private static func fieldsToAll(_ vary: [UInt8]) -> [UInt8] {
    var fields = vary
    CORS.write(origin: nil, nil, to: &fields)
    return fields
  }

  private static func writeValidators(
    of response: borrowing Response, _ context: borrowing Context, to output: inout [UInt8]
  ) {
    // An error describes the current state; some statuses are cacheable by default (RFC 9110 section 15.1).
    guard let operation = context.operation, response.status < 400 else { return output += Self.noStore }
    if operation.caching.validator != .none, !response.isAltered,
      response.status == 200 || response.status == 304,
      let body = response.representation
    {
      if operation.caching.validator == .strong {
        output += body.tagField
      } else {
        Representation.writeField(EntityTag(hash: body.tag.hash, isWeak: true), to: &output)
      }
    }
    if context.isUnstorable {
      output += Self.noStore
    } else {
      output += operation.caching.cacheControlField
    }
  }
}

/// The beginning of a message, which is equal for all messages of one status in one second: the status line, `Date` and
/// the policies of a content that is not a page.
///
/// `Date` (RFC 9110 section 6.6.1) shows the machine's time, not a sandbox's.
struct MessageOpening {
  let status: Int
  /// True if the content's policy forbids everything; false if the response has a policy of its own.
  let isInert: Bool
  let second: Int64
  /// The number of bytes of the status line.
  let statusLine: Int
  let bytes: [UInt8]

  init(status: Int, isInert: Bool, second: Int64) {
    self.status = status
    self.isInert = isInert
    self.second = second
    var bytes: [UInt8] = []
    ResponseHead.appendStatusLine(status, to: &bytes)
    statusLine = bytes.count
    bytes += Array("Date: \(HTTPDate.text(Instant(seconds: second)))\r\n".utf8)
    bytes += isInert ? Self.inertPolicies : Self.contentTypeOptions
    self.bytes = bytes
  }

  /// Returns the number of the second of an instant.
  static func second(of now: Instant) -> Int64 { now.nanoseconds / 1_000_000_000 }

  /// The opening in the first second of 1970, with which writers begin.
  static let ofTheEpoch = MessageOpening(status: 200, isInert: true, second: 0)

  private static let contentTypeOptions = Array("X-Content-Type-Options: \(PagePolicy.contentTypeOptions)\r\n".utf8)
  private static let inertPolicies = contentTypeOptions + Array("\(PagePolicy.fieldName): \(PagePolicy.inert)\r\n".utf8)
}
