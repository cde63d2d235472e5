/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentCoding {
  /// Returns the decoded text. A `%` without two hexadecimal digits is kept, and invalid UTF-8 is replaced.
  package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String {
    String(decoding: decodedBytes(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
  }

  package static func decodedBytes(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(Byte.hexValue),
        let low = rest.dropFirst().first.flatMap(Byte.hexValue)
      {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
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
