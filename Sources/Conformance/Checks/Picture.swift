/// The header of a PNG image (PNG third edition, section 11.2.1).
struct Picture {
  let width: Int
  let height: Int

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  @discardableResult
  init(of answer: ReceivedResponse) throws(Finding) {
    try answer.expect("Content-Type", "image/png")
    let bytes = answer.body
    try require(bytes.starts(with: Self.signature) && bytes.count > 33, "a PNG", found: "\(bytes.count) other bytes")
    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    width = number(at: 16)
    height = number(at: 20)
    try require(width > 0 && height > 0, "a picture with a positive size", found: "\(width) by \(height)")
  }
}
