import Primitives

/// Writes the head of a response into an output buffer (RFC 9112 4, 5).
///
/// A value cannot end its line: CR, LF and every other control byte except HTAB become SP (RFC 9110 5.5). A field whose
/// name is not a token is omitted.
package enum ResponseHead {
  /// Appends the status line. A status code of more than three digits is a programming error.
  package static func appendStatusLine(_ status: Int, to output: inout [UInt8]) {
    if status == 200 {
      output.append(contentsOf: "HTTP/1.1 200 OK\r\n".utf8)
      return
    }
    appendStatusLine(status, reason: ReasonPhrase.of(status).utf8, to: &output)
  }

  /// Appends a status line with a reason phrase.
  package static func appendStatusLine(_ status: Int, reason: some Sequence<UInt8>, to output: inout [UInt8]) {
    precondition(100...999 ~= status, "a status code has three digits")
    output.append(contentsOf: "HTTP/1.1 ".utf8)
    Digits.appendDecimal(status, to: &output)
    output.append(Byte.space)
    output.append(contentsOf: reason)
    endLine(&output)
  }

  /// Appends a field line. Returns false if the name is not a token and the line was omitted.
  @discardableResult
  package static func appendField(_ name: String, _ value: String, to output: inout [UInt8]) -> Bool {
    guard appendName(name, to: &output) else { return false }
    let start = output.count
    output.append(contentsOf: value.utf8)
    finishValue(from: start, &output)
    return true
  }

  /// Appends a field line as it was received.
  package static func appendField(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, to output: inout [UInt8]) {
    output += name
    output.append(Byte.colon)
    output.append(Byte.space)
    output += value
    endLine(&output)
  }

  /// Appends a field line whose value `write` appends; none, if it appends nothing.
  ///
  /// - Parameter start: The name, which must be a token, a colon and a space.
  package static func appendField(
    startingWith start: [UInt8], to output: inout [UInt8], _ write: (inout [UInt8]) -> Void
  ) {
    let line = output.count
    output += start
    let start = output.count
    write(&output)
    guard output.count > start else { return output.removeSubrange(line...) }
    finishValue(from: start, &output)
  }

  /// Appends a field line whose value is an integer.
  @discardableResult
  package static func appendField(_ name: String, number: Int, to output: inout [UInt8]) -> Bool {
    guard appendName(name, to: &output) else { return false }
    Digits.appendDecimal(number, to: &output)
    endLine(&output)
    return true
  }

  /// Appends `Content-Length` (RFC 9110 8.6).
  package static func appendContentLength(_ length: Int, to output: inout [UInt8]) {
    precondition(length >= 0, "no content is shorter than nothing")
    output.append(contentsOf: "Content-Length: ".utf8)
    Digits.appendDecimal(length, to: &output)
    endLine(&output)
  }

  /// Appends `Transfer-Encoding: chunked` (RFC 9112 7.1), which only HTTP/1.1 peers understand.
  package static func appendChunked(to output: inout [UInt8]) {
    output.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
  }

  /// Appends `Connection` if the option needs it (RFC 9110 7.6.1).
  package static func appendConnection(_ option: ConnectionOption, to output: inout [UInt8]) {
    switch option {
    case .unneeded: break
    case .keepAlive: output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    case .close: output.append(contentsOf: "Connection: close\r\n".utf8)
    }
  }

  /// Appends the empty line that ends a head (RFC 9112 2.1).
  package static func appendEnd(to output: inout [UInt8]) {
    endLine(&output)
  }

  /// Appends a complete interim response without fields, such as `100 Continue` (RFC 9110 15.2).
  package static func appendInterim(_ status: Int, to output: inout [UInt8]) {
    precondition(100...199 ~= status, "only 1xx responses are interim")
    appendStatusLine(status, to: &output)
    appendEnd(to: &output)
  }

  private static func appendName(_ name: String, to output: inout [UInt8]) -> Bool {
    let start = output.count
    output.append(contentsOf: name.utf8)
    var index = start
    while index < output.count, ByteSet.token.contains(output[index]) { index += 1 }
    guard index == output.count, index > start else {
      output.removeSubrange(start...)
      return false
    }
    output.append(Byte.colon)
    output.append(Byte.space)
    return true
  }

  private static func finishValue(from start: Int, _ output: inout [UInt8]) {
    // The bytes are copied as one block and then checked in the output: a loop over a String's UTF-8 would be slower.
    for index in start..<output.count where !Byte.isFieldContent(output[index]) { output[index] = Byte.space }
    endLine(&output)
  }

  private static func endLine(_ output: inout [UInt8]) {
    output.append(Byte.carriageReturn)
    output.append(Byte.lineFeed)
  }
}
