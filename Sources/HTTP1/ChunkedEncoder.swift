import Primitives

/// The chunked transfer coding, for content whose length is unknown when the head is written (RFC 9112 7.1).
package enum ChunkedEncoder {
  /// Appends one chunk, or nothing if the data is empty: an empty chunk would end the content.
  package static func appendChunk(_ data: ArraySlice<UInt8>, to output: inout [UInt8]) {
    guard !data.isEmpty else { return }
    Digits.appendHexadecimal(data.count, to: &output)
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: data)
    output.append(contentsOf: "\r\n".utf8)
  }

  /// Appends one chunk.
  package static func appendChunk(_ data: [UInt8], to output: inout [UInt8]) {
    appendChunk(data[...], to: &output)
  }

  /// Appends the last chunk, without trailers.
  package static func appendEnd(to output: inout [UInt8]) {
    output.append(contentsOf: "0\r\n\r\n".utf8)
  }
}
