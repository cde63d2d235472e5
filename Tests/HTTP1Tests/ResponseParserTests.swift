import LiveTesting
import Primitives
import Testing

@testable import HTTP1

@Suite("The response parser")
struct ResponseParserTests {
  /// The result of reading the bytes of a connection until its end.
  private static func read(_ pieces: [some Sequence<UInt8>], toHead: Bool = false) -> String {
    var parser = ResponseParser(toHead: toHead)
    var text = ""
    var content: [UInt8] = []
    func result(_ end: String) -> String { text + String(decoding: content, as: UTF8.self) + end }
    do throws(ResponseError) {
      for index in 0...pieces.count {
        if index < pieces.count { parser.receive(Array(pieces[index])) } else { parser.finish() }
        reading: while true {
          switch try parser.next() {
          case .needsMore: break reading
          case .interim(let head): text += "\(head.status) "
          case .head(let head): text += "\(head.status) \(head.content) "
          case .content(let bytes): content += bytes
          case .end: return result("|" + String(decoding: parser.unread, as: UTF8.self))
          }
        }
      }
      return result("?")
    } catch {
      return result("!\(error)")
    }
  }

  private static func read(_ text: String, toHead: Bool = false) -> String { read([text.utf8], toHead: toHead) }

  @Test(
    "delimits the content by the status, the coding, the length or the connection",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP", "200 length(5) hello|HTTP"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 length(0) |"),
      ("HTTP/1.1 200 OK\r\n\r\nuntil the end", "200 close until the end|"),
      ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", "200 close |"),
      // A proxy removes white space before the colon (RFC 9112 5.1).
      ("HTTP/1.1 200 OK\r\nContent-Length \t: 5\r\n\r\nhello", "200 length(5) hello|"),
      ("HTTP/1.1 204 No Content\r\n\r\nHTTP", "204 none |HTTP"),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 none |"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00A\r\n0123456789\r\n0\r\nX: y\r\n\r\nrest",
        "200 chunked hello0123456789|rest"
      ),
      (
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\na",
        "100 103 200 length(1) a|"
      ),
      ("HTTP/1.1 101 Switching Protocols\r\n\r\nother", "101 none |other"),
    ])
  func content(bytes: String, result: String) {
    #expect(Self.read(bytes) == result)
    #expect(Self.read(bytes.utf8.map { [$0] }).hasPrefix(result.prefix { $0 != "|" }), "byte by byte")
  }

  @Test("reads no content after a response to HEAD, whatever its fields say")
  func head() {
    #expect(Self.read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP", toHead: true) == "200 none |HTTP")
    #expect(Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", toHead: true) == "200 none |")
  }

  @Test(
    "refuses a first line that is no status line, at its first wrong byte",
    arguments: [
      "hello", "HTTP/2 200 OK\r\n", "HTTP/1.x 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK",
      "HTTP/1.1 +20 OK", "HTTP/1.1 099 OK", "HTTP/1.1 2²0", "HTTP/1.1 200 O\u{0}K\r\n", "HTTP/1.1 200 OK\n",
      "HTTP/1.1 200 OK\rX", "\r\nHTTP/1.1 200 OK\r\n", "HTTP/1.1 200 " + String(repeating: "a", count: 9_000),
    ])
  func statusLine(text: String) {
    #expect(Self.read(text) == "!statusLine")
    #expect(Self.read(text.utf8.map { [$0] }) == "!statusLine")
  }

  @Test(
    "refuses fields and framing from which two readers could see different messages (RFC 9112 11.1)",
    arguments: [
      ("Content-Length: 5\r\nContent-Length: 5", Rejection.lengthRepeated),
      ("Content-Length: 5\r\nContent-Length: 6", .lengthRepeated), ("Content-Length: 5, 5", .lengthSyntax),
      ("Content-Length: +5", .lengthSyntax), ("Content-Length: 0x5", .lengthSyntax), ("Content-Length:", .lengthSyntax),
      ("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithEncoding),
      ("Transfer-Encoding: gzip, chunked", .encodingUnknown),
      ("Transfer-Encoding: chunked, gzip", .encodingNotChunkedLast),
      ("Transfer-Encoding: chunked, chunked", .encodingNotChunkedLast),
      ("Transfer-Encoding: xchunked", .encodingNotChunkedLast),
      ("A: b\nContent-Length: 5", .bareLineFeed), ("A: b\r c", .bareCarriageReturn), (" A: b", .lineFolding),
      ("A: \u{0}", .fieldValueByte), (": b", .fieldNameMissing), ("A", .colonMissing),
    ])
  func fields(lines: String, rejection: Rejection) {
    let bytes = "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhello"
    #expect(Self.read(bytes).hasSuffix("!" + "\(ResponseError.syntax(rejection))"))
    #expect(Self.read(bytes.utf8.map { [$0] }).hasSuffix("!" + "\(ResponseError.syntax(rejection))"))
  }

  @Test(
    "refuses chunks that are not framed as RFC 9112 7.1 has it",
    arguments: [
      ("5\r\nhelloX\r\n", Rejection.chunkEnd), ("+5\r\nhello\r\n", .chunkSize), ("5\nhello\r\n", .bareLineFeed),
      ("FFFFFFFFFFFFFFFFF\r\n", .chunkSize), ("\r\nhello", .chunkSize), ("5;=\r\n", .chunkExtension),
      ("0\r\nX\r\n\r\n", .colonMissing), ("0\r\n: a\r\n\r\n", .fieldNameMissing),
      ("1;" + String(repeating: "a", count: 9_000), .chunkLineTooLong),
    ])
  func chunks(text: String, rejection: Rejection) {
    let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text
    #expect(Self.read(bytes).hasSuffix("!" + "\(ResponseError.syntax(rejection))"))
  }

  @Test("refuses a coding in HTTP/1.0, whose readers do not know it")
  func oldCoding() {
    #expect(
      Self.read("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").hasSuffix(
        "\(ResponseError.syntax(.encodingIn10))"))
  }

  @Test("distinguishes an end without a byte from one within a response")
  func ends() {
    #expect(Self.read("") == "!empty")
    for text in ["H", "HTTP/1.1 200 OK\r\nA", "HTTP/1.1 100 Continue\r\n\r\n"] {
      #expect(Self.read(text).hasSuffix("!cut"))
    }
    #expect(Self.read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell") == "200 length(5) hell!cut")
    #expect(Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n") == "200 chunked hell!cut")
    #expect(Self.read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n") == "200 chunked !cut")
  }

  @Test("reads a bounded number of interim responses, and bounded heads and trailers")
  func bounds() {
    let interim = "HTTP/1.1 102 Processing\r\n\r\n"
    let final = "HTTP/1.1 204 No Content\r\n\r\n"
    let allowed = String(repeating: interim, count: ResponseParser.maximumInterims)
    #expect(Self.read(allowed + final).hasSuffix("204 none |"))
    #expect(Self.read(allowed + interim + final).hasSuffix("!endlessInterim"))
    let field = "X: " + String(repeating: "a", count: 1_000) + "\r\n"
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    #expect(Self.read(chunked + String(repeating: field, count: 60) + "\r\n") == "200 chunked |")
    let fields = String(repeating: field, count: 66)
    #expect(Self.read("HTTP/1.1 200 OK\r\n" + fields).hasSuffix("\(ResponseError.syntax(.headTooLarge))"))
    #expect(Self.read(chunked + fields).hasSuffix("\(ResponseError.syntax(.headTooLarge))"))
  }

  @Test(
    "derives persistence from the version, the tokens of Connection and the end of the content",
    arguments: [
      ("1.1", nil, true), ("1.1", "close", false), ("1.1", "x, Close", false), ("1.1", "close,upgrade", false),
      ("1.1", "closed", true), ("1.0", nil, false), ("1.0", "Keep-Alive", true), ("1.0", "x , keep-alive", true),
      ("1.0", "keep-alive, close", false),
    ] as [(String, String?, Bool)])
  func persistence(version: String, option: String?, persists: Bool) throws {
    let field = option.map { "\r\nConnection: \($0)" } ?? ""
    let response = try ReceivedResponse(Array("HTTP/\(version) 200 OK\(field)\r\nContent-Length: 0\r\n\r\n".utf8))
    #expect(response.head.persists == persists)
    let endless = try ReceivedResponse(Array("HTTP/\(version) 200 OK\(field)\r\n\r\n".utf8))
    #expect(!endless.head.persists)
  }

  @Test("reads the responses of a connection one after another")
  func several() throws {
    var parser = ResponseParser(toHead: true)
    parser.receive(
      Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 404 Not Found\r\nA: b\r\nContent-Le".utf8))
    guard case .head(let first) = try parser.next(), case .end = try parser.next() else {
      Issue.record("no first response")
      return
    }
    #expect(first.status == 200 && first["content-length"] == "5")
    parser.begin(toHead: false)
    parser.receive(Array("ngth: 2\r\n\r\nhi".utf8))
    guard case .head(let second) = try parser.next(), case .content(let content) = try parser.next(),
      case .end = try parser.next()
    else {
      Issue.record("no second response")
      return
    }
    #expect(second.status == 404 && second["A"] == "b" && content == Array("hi".utf8))
  }

  private static let corpus = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello", "HTTP/1.1 204 No Content\r\nX:\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0A;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nuntil the end",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  ].map { Array($0.utf8) }
  private static let dictionary = [
    "\r\n", "\r\n\r\n", "\r", "\n", ":", " ", "\t", ";", "+", "-", "0", "FFFFFFFFFFFFFFFF", "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n", "\u{0}", "\u{301}", "é", "HTTP/1.1 200 OK\r\n", "5, 5",
  ].map { Array($0.utf8) }

  @Test("reads damaged responses alike however they are split, and no field with a line end")
  func splits() {
    Fuzz("responses", rounds: 5_000).run { random, note in
      var bytes = Self.corpus.randomElement(using: &random) ?? []
      random.mutate(&bytes, dictionary: Self.dictionary)
      let whole = Self.read([bytes])
      // The bytes after the response may or may not have arrived with it. A combining character may follow the mark.
      func response(_ text: String) -> String { String(text.unicodeScalars.prefix { $0 != "|" }) }
      #expect(response(Self.read(random.cut(bytes))) == response(whole), "\(note): \(bytes)")
      guard let head = (try? ReceivedResponse(bytes))?.head else { return }
      #expect(100...999 ~= head.status, "\(note)")
      for field in head.fields {
        #expect(!field.name.isEmpty && head.bytes[field.name].allSatisfy(ByteSet.token.contains), "\(note)")
        #expect(head.bytes[field.value].allSatisfy(Byte.isFieldContent), "\(note)")
      }
    }
  }
}
