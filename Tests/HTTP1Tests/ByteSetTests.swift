import HTTP1
import Primitives
import Testing

@Suite("Byte sets")
struct ByteSetTests {
  private static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

  private func members(_ set: ByteSet) -> [UInt8] {
    (UInt8.min...UInt8.max).filter(set.contains)
  }

  @Test("a token is made of tchar (RFC 9110 5.6.2)")
  func token() {
    #expect(members(.token) == (Self.alphanumerics + "!#$%&'*+-.^_`|~").utf8.sorted())
  }

  @Test("a target is made of visible characters but # (RFC 9112 3.2)")
  func target() {
    #expect(members(.target) == (0x21...0x7E).filter { byte in byte != 0x23 })
  }

  @Test("a plain target is a target without the characters that begin a query or an encoded byte")
  func plainTarget() {
    #expect(members(.plainTarget) == members(.target).filter { byte in byte != 0x3F && byte != 0x25 })
  }

  @Test("unreserved characters mean the same percent-encoded or not (RFC 3986 2.3)")
  func unreserved() {
    #expect(members(.unreserved) == (Self.alphanumerics + "-._~").utf8.sorted())
  }

  @Test("a registered name is made of unreserved and sub-delims but the comma (RFC 3986 3.2.2)")
  func registeredName() {
    #expect(members(.registeredName) == (Self.alphanumerics + "-._~!$&'()*+;=").utf8.sorted())
  }

  @Test("eight bytes are visible if each of them is ASCII from a space to `~`")
  func visible() {
    for byte in UInt8.min ... .max {
      for index in 0..<8 {
        for other: UInt8 in [0x20, 0x61, 0x7E] {
          var bytes = [UInt8](repeating: other, count: 9)
          bytes[index] = byte
          #expect(Byte.areVisible(bytes.span.word(at: 0)) == (0x20...0x7E ~= byte), "\(byte) at \(index)")
        }
      }
    }
  }
}
