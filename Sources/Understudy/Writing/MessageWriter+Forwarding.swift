import Contract
import Faults
import HTTP1
import Primitives
import Services

extension MessageWriter {
  /// Appends a message with the head of the upstream: its fields as they are, and of this server only those that identify
  /// the exchange and report its plan.
  ///
  /// - Parameter report: Appends the fields that report the plan of the exchange.
  static func write(
    _ head: ForwardedHead, of response: borrowing Response, _ context: borrowing Context, at now: Instant,
    to output: inout [UInt8], report: (inout [UInt8]) -> Void
  ) -> MessageLayout {
    let start = output.count
    if let reason = head.reason {
      ResponseHead.appendStatusLine(response.status, reason: reason, to: &output)
    } else {
      ResponseHead.appendStatusLine(response.status, to: &output)
    }
    let fields = output.count
    if !head.has("date") { ResponseHead.appendField("Date", HTTPDate.text(now), to: &output) }
    for field in head.fields where !(context.isUnstorable && isAboutStoring(field.name)) {
      ResponseHead.appendField(field.name[...], field.value[...], to: &output)
    }
    if context.isUnstorable { ResponseHead.appendField("Cache-Control", "no-store", to: &output) }
    report(&output)
    if context.requestID > 0 {
      ResponseHead.appendField("Understudy-Request", number: context.requestID, to: &output)
    }
    if response.status == 101 {
      ResponseHead.appendField("Connection", "Upgrade", to: &output)
    } else {
      ResponseHead.appendConnection(context.connection, to: &output)
    }
    if let contentType = head.contentType {
      ResponseHead.appendField(contentTypeName, contentType[...], to: &output)
    }
    appendLength(of: response, head, context, to: &output)
    ResponseHead.appendEnd(to: &output)
    let body = output.count
    guard context.hasBody(response), let content = response.representation else {
      return MessageLayout(start: start, fields: fields, body: body, end: body)
    }
    if !context.leavesLongBody || content.bytes.count < OutputBuffer.minimumLongBody { output += content.bytes }
    return MessageLayout(start: start, fields: fields, body: body, end: body + content.bytes.count)
  }

  private static func appendLength(
    of response: borrowing Response, _ head: ForwardedHead, _ context: borrowing Context, to output: inout [UInt8]
  ) {
    // Neither may announce content (RFC 9110 section 8.6).
    guard response.status != 204, response.status != 101 else { return }
    if response.isStream, head.announcedLength == nil {
      if context.connection.allowsChunks { ResponseHead.appendChunked(to: &output) }
    } else if let content = response.representation {
      if content.isChunked {
        ResponseHead.appendChunked(to: &output)
      } else {
        ResponseHead.appendContentLength(content.bytes.count, to: &output)
      }
    } else if let length = head.announcedLength {
      ResponseHead.appendField(contentLengthName, length[...], to: &output)
    }
  }

  private static func isAboutStoring(_ name: [UInt8]) -> Bool {
    storingNames.contains { ConnectionOptions.isEqual(name[...], $0) }
  }

  private static let storingNames = ["cache-control", "expires", "pragma", "age"].map { Array($0.utf8) }
  private static let contentTypeName = Array("Content-Type".utf8)[...]
  private static let contentLengthName = Array("Content-Length".utf8)[...]
}
