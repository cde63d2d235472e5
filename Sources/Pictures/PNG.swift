/// The PNG encoding (W3C PNG, third edition) of an image of eight bits for each of red, green and blue.
package enum PNG {
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The three critical chunks of a truecolour image, section 11.2: IHDR, IDAT, IEND.
  ///
  /// - Precondition: `pixels` holds three bytes for each of `width` times `height` pixels.
  package static func encode(pixels: [UInt8], width: Int, height: Int) -> [UInt8] {
    precondition(pixels.count == width * height * 3, "three bytes for each pixel")
    // Eight bits deep, truecolour, and the only compression, filtering and (no) interlacing that concern us.
    let header = bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0]
    let data = Deflate.zlib(filtered(pixels, stride: width * 3))
    return signature + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", [])
  }

  /// The layout of section 5.3: length, type, data, and the CRC over type and data.
  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(data.count) + body + bigEndian(Int(Checksum.crc32(body)))
  }

  /// The scanlines, each behind its filter type, section 9.
  ///
  /// The type is None (0) throughout: in flat colour whole stretches return in the next line as they are, and a filter
  /// would only hide that from the matching, as section 12.7 warns of images with few colours.
  private static func filtered(_ pixels: [UInt8], stride: Int) -> [UInt8] {
    var output: [UInt8] = []
    guard stride > 0 else { return output }
    output.reserveCapacity(pixels.count + pixels.count / stride)
    for line in Swift.stride(from: 0, to: pixels.count, by: stride) {
      output.append(0)
      output += pixels[line..<(line + stride)]
    }
    return output
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
