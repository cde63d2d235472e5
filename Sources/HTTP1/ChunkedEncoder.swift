/// The chunked transfer coding of content whose length is not known beforehand (RFC 9112 7.1).
package enum ChunkedEncoder {
  /// One chunk; nothing at all for no data, since an empty chunk would end the content.
  package static func appendChunk(_ data: ArraySlice<UInt8>, to output: inout [UInt8]) {
    guard !data.isEmpty else { return }
    Digits.appendHexadecimal(data.count, to: &output)
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: data)
    output.append(contentsOf: "\r\n".utf8)
  }

  /// One chunk.
  package static func appendChunk(_ data: [UInt8], to output: inout [UInt8]) {
    appendChunk(data[...], to: &output)
  }

  /// The last chunk, and no trailers.
  package static func appendEnd(to output: inout [UInt8]) {
    output.append(contentsOf: "0\r\n\r\n".utf8)
  }
}
