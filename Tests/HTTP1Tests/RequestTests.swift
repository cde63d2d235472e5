import Primitives
import Testing

@testable import HTTP1

@Suite("The properties of a request")
struct RequestTests {
  private func parse(_ text: String) throws -> Request {
    var parser = RequestParser()
    parser.receive(latin1(text))
    guard let request = parser.nextRequest() else { throw Rejection.truncated }
    return request
  }

  @Test("every known field name is found, ignoring case (RFC 9110 5.1)", arguments: FieldName.allCases)
  func knownNames(_ name: FieldName) throws {
    let spelling = name.spelling
    let mixed = String(
      spelling.enumerated().map { $0.offset % 2 == 0 ? Character($0.element.uppercased()) : $0.element })
    for written in [spelling, spelling.uppercased(), mixed] {
      let bytes = ContiguousArray(written.utf8)
      #expect(FieldName(bytes.span, 0..<bytes.count) == name)
    }
    // A name of the same length and beginning, or one byte longer, is another name.
    for written in [String(spelling.dropLast()) + "~", spelling + "x", String(spelling.dropLast())] {
      let bytes = ContiguousArray(written.utf8)
      #expect(FieldName(bytes.span, 0..<bytes.count) == nil)
    }
  }

  @Test("ignoring case applies to letters only (RFC 9110 5.1)")
  func caseOfLetters() {
    for byte in UInt8.min...UInt8.max {
      let isUpper = (0x41...0x5A).contains(byte)
      #expect(Byte.lowercased(byte) == (isUpper ? byte + 32 : byte))
    }
  }

  @Test("every known method is found, and only in its exact case (RFC 9110 9.1)", arguments: Method.allCases)
  func methods(_ method: Method) throws {
    for (written, expected) in [
      (method.rawValue, Optional(method)), (method.rawValue.lowercased(), nil), (method.rawValue + "X", nil),
      (String(method.rawValue.dropLast()) + "_", nil), ("OVERLONG" + method.rawValue, nil),
    ] {
      var scanner = RequestLineScanner()
      var position = 0
      #expect(try scanner.scan(ContiguousArray((written + " / HTTP/1.1\r\n").utf8), &position, .standard))
      #expect(scanner.knownMethod == expected)
    }
  }

  @Test("fields are found by name, in order (RFC 9110 5.3)")
  func fields() throws {
    let request = try parse(get("Accept: a", "X-Build: 7", "accept: b", "X-build: 8"))
    #expect(request.first(.accept).map { field in request.text(field.value) } == "a")
    #expect(request.values(of: .accept).map { request.text($0) } == ["a", "b"])
    #expect([request.combined(.accept), request.combined(.cookie)] == ["a, b", nil])
    #expect([request.combined("x-bUILD"), request.combined("X-Buil")] == ["7, 8", nil])
    #expect(request.value(named: "x-bUILD").map { request.text($0) } == "7")
    #expect(request.value(named: "X-Buil") == nil)
    #expect(request.value(named: "X-Build2") == nil)
    #expect(request.first(.cookie) == nil)
    #expect(
      request.fields.map { field in request.text(field.name) } == ["Host", "Accept", "X-Build", "accept", "X-build"])
    #expect(request.fields.map(\.known) == [.host, .accept, nil, .accept, nil])
  }

  @Test("the head ranges from the method to the empty line (RFC 9112 2.1)")
  func head() throws {
    let request = try parse("\r\n" + post("Content-Length: 2", body: "hi"))
    #expect(request.text(request.head) == post("Content-Length: 2"))
    #expect(request.text(request.body) == "hi")
    #expect(request.knownMethod == .post)
    #expect(request.version == .http11)
    let (same, other) = (request.holds(request.method, "POST"), request.holds(request.method, "post"))
    let similar = request.holds(request.method, "post", ignoringCase: true)
    let (shorter, longer) = (request.holds(request.method, "POS"), request.holds(request.method, "POSTS"))
    #expect([same, similar] == [true, true] && [other, shorter, longer] == [false, false, false])
  }

  @Test("the four forms of a target are distinguished (RFC 9112 3.2)")
  func forms() throws {
    #expect(try parse(get()).targetForm == .origin)
    #expect(try parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").targetForm == .asterisk)
    #expect(try parse("CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n").targetForm == .authority)
    let absolute = try parse("GET http://b HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(absolute.targetForm == .absolute(authority: 11..<12))
    #expect(absolute.text(absolute.path) == "/")
    #expect(absolute.text(absolute.target) == "http://b")
  }

  @Test("identical requests have equal fingerprints, different requests have different ones")
  func fingerprints() throws {
    let texts = [
      get(), get("X: a"), get("X: b"), get("x: a"), post("Content-Length: 2", body: "hi"),
      post("Content-Length: 2", body: "ho"), chunked("2\r\nhi\r\n0\r\n\r\n"), chunked("2\r\nhi\r\n0\r\nX: a\r\n\r\n"),
    ]
    let prints = try texts.map { text in try parse(text).fingerprint }
    #expect(Set(prints).count == texts.count)
    #expect(try texts.map { text in try parse(text).fingerprint } == prints)
    #expect(try parse("\r\n" + get()).fingerprint == prints.first)
    #expect(try parse(chunked("1\r\nh\r\n1\r\ni\r\n0\r\n\r\n")).fingerprint == prints[6])
  }
}
