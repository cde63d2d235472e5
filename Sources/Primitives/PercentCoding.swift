/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentCoding {
  // The parameters have concrete types: the compiler does not specialize a generic function for callers in another module,
  // and the unspecialized functions took 40 times as long.

  /// Returns the decoded text. A `%` without two hexadecimal digits is kept, and invalid UTF-8 is replaced.
  package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String {
    // Most texts have nothing to decode.
    guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: decodedBytes(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
  }

  package static func decodedBytes(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = Byte.hexValue(bytes[index + 1]),
        let low = Byte.hexValue(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return decoded
  }

  /// Returns `text` as a path segment: everything except unreserved characters is encoded.
  package static func encodeSegment(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      let scalar = Unicode.Scalar(byte)
      if ByteSet.unreserved.contains(byte) {
        encoded.unicodeScalars.append(scalar)
      } else {
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
