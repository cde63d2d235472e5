/// The PNG encoding (W3C PNG, third edition) of a drawing.
package enum PNG {
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns an indexed-colour image, section 11.2: IHDR, PLTE, IDAT, IEND.
  static func encode(_ canvas: Canvas, palette: Palette) -> [UInt8] {
    // Bit depth 8, colour type 3 (indexed), compression 0, filter method 0, no interlacing.
    let header = bigEndian(canvas.width) + bigEndian(canvas.height) + [8, 3, 0, 0, 0]
    let colors = palette.colors.flatMap { color in [16, 8, 0].map { UInt8(truncatingIfNeeded: color >> $0) } }
    let data = Deflate.zlib(scanlines(canvas), stride: canvas.width + 1)
    return signature + chunk("IHDR", header) + chunk("PLTE", colors) + chunk("IDAT", data) + chunk("IEND", [])
  }

  /// Returns a chunk as in section 5.3: length, type, data, and the CRC over type and data.
  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(data.count) + body + bigEndian(Int(Checksum.crc32(body)))
  }

  /// Returns the lines, each after its filter type (section 9): None, as section 12.7 recommends for indexed colour.
  private static func scanlines(_ canvas: Canvas) -> [UInt8] {
    var lines: [UInt8] = []
    for row in 0..<canvas.height {
      let start = row * canvas.width
      lines.append(0)
      lines += canvas.pixels[start..<start + canvas.width]
    }
    return lines
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
