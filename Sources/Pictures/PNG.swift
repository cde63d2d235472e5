/// The PNG encoding (W3C PNG, third edition) of a drawing.
package enum PNG {
  package static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Returns an indexed-colour image, section 11.2: IHDR, PLTE, IDAT, IEND.
  static func encode(_ canvas: Canvas, palette: Palette) -> [UInt8] {
    // Eight bits per pixel, indexed colour, and the only compression, filtering and (no) interlacing that are used.
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

  /// The lines, each behind its filter type, section 9: None, which section 12.7 advises for indexed colour.
  private static func scanlines(_ canvas: Canvas) -> [UInt8] {
    (0..<canvas.height).flatMap { [0] + canvas.pixels[$0 * canvas.width..<($0 + 1) * canvas.width] }
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
