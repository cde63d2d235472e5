import Primitives
import Testing

@testable import HTTP1

@Suite("The encoder of responses")
struct ResponseTests {
  private func written(_ write: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    write(&output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test("a status line consists of version, code and phrase (RFC 9112 4)")
  func statusLines() {
    #expect(written { ResponseHead.appendStatusLine(200, to: &$0) } == "HTTP/1.1 200 OK\r\n")
    #expect(written { ResponseHead.appendStatusLine(404, to: &$0) } == "HTTP/1.1 404 Not Found\r\n")
    #expect(written { ResponseHead.appendInterim(100, to: &$0) } == "HTTP/1.1 100 Continue\r\n\r\n")
  }

  @Test(
    "an unregistered code is followed by SP and an empty phrase (RFC 9112 4)",
    arguments: [199, 299, 306, 418, 599, 999])
  func unknownCodes(_ status: Int) {
    #expect(written { ResponseHead.appendStatusLine(status, to: &$0) } == "HTTP/1.1 \(status) \r\n")
  }

  @Test("every registered code has its phrase (RFC 9110 16.2.1)")
  func phrases() {
    let registered = [
      100...104, 200...208, 226...226, 300...305, 307...308, 400...417, 421...426, 428...429, 431...431, 451...451,
      500...508, 510...511,
    ].joined()
    for status in 0...999 { #expect(ReasonPhrase.of(status).isEmpty == !registered.contains(status), "\(status)") }
  }

  @Test("a field line consists of name and value (RFC 9112 5)")
  func fields() {
    #expect(written { ResponseHead.appendField("ETag", "\"a\"", to: &$0) } == "ETag: \"a\"\r\n")
    #expect(written { ResponseHead.appendField("X", "\u{E9}\t", to: &$0) } == "X: \u{E9}\t\r\n")
    #expect(written { ResponseHead.appendField("Age", number: 60, to: &$0) } == "Age: 60\r\n")
    #expect(written { ResponseHead.appendContentLength(0, to: &$0) } == "Content-Length: 0\r\n")
    #expect(written { ResponseHead.appendChunked(to: &$0) } == "Transfer-Encoding: chunked\r\n")
    #expect(written { ResponseHead.appendEnd(to: &$0) } == "\r\n")
  }

  @Test("no byte of a value ends the field line (RFC 9110 5.5)", arguments: UInt8.min...UInt8.max)
  func values(_ number: UInt8) {
    let character = String(UnicodeScalar(number))
    let kept = number == 9 || number >= 32 && number != 127 ? character : " "
    for (value, line) in [(character, kept), ("a\(character)b", "a\(kept)b"), (character + "\r\n", kept + "  ")] {
      var output: [UInt8] = []
      #expect(ResponseHead.appendField("X", value, to: &output))
      #expect(output == Array("X: \(line)\r\n".utf8))
    }
  }

  @Test(
    "a field whose name is not a token is omitted (RFC 9110 5.1)",
    arguments: ["", "a b", "a:", "a\r\nb", "\0", "é", "a\n"])
  func names(_ name: String) {
    var output: [UInt8] = [1]
    #expect(!ResponseHead.appendField(name, "x", to: &output))
    #expect(!ResponseHead.appendField(name, number: 1, to: &output))
    #expect(output == [1])
  }

  @Test("Connection is written where the version's default does not apply (RFC 9110 7.6.1)")
  func connections() {
    #expect(written { ResponseHead.appendConnection(.unneeded, to: &$0) } == "")
    #expect(written { ResponseHead.appendConnection(.keepAlive, to: &$0) } == "Connection: keep-alive\r\n")
    #expect(written { ResponseHead.appendConnection(.close, to: &$0) } == "Connection: close\r\n")
  }

  @Test("numbers are written as the standard library writes them")
  func numbers() {
    for number in [0, 1, 9, 10, 99, 100, 12345, 65535, 1 << 20, .max, -1, .min] {
      #expect(written { Digits.appendDecimal(number, to: &$0) } == String(number))
    }
    for number in [0, 1, 9, 10, 15, 16, 255, 256, 4095, 4096, 1 << 20, .max] {
      #expect(written { Digits.appendHexadecimal(number, to: &$0) } == String(number, radix: 16))
    }
  }

  @Test("a chunk has size and data, and empty data makes no chunk (RFC 9112 7.1)")
  func chunks() {
    #expect(written { ChunkedEncoder.appendChunk([], to: &$0) } == "")
    #expect(written { ChunkedEncoder.appendChunk(latin1("hello"), to: &$0) } == "5\r\nhello\r\n")
    #expect(
      written { ChunkedEncoder.appendChunk(latin1("0123456789abcdef")[...], to: &$0) } == "10\r\n0123456789abcdef\r\n")
    #expect(written { ChunkedEncoder.appendEnd(to: &$0) } == "0\r\n\r\n")
  }
}
