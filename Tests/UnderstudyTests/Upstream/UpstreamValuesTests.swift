import Contract
import Foundation
import HTTP1
import JSON
import Primitives
import Services
import Testing

@testable import Understudy

@Suite("The URL of an upstream")
struct UpstreamURLTests {
  @Test(
    "tells the way to an https backend",
    arguments: [("https://api.example/v1", "api.example:443"), ("HTTPS://[::1]:8443", "[::1]:8443")])
  func https(url: String, target: String) throws {
    let base = try BaseURL(url)
    let defect = #expect(throws: BaseURL.Defect.self) { try base.refuseEncryption() }
    #expect(defect?.description.contains("docker/tls.py --connect \(target),") == true)
    #expect(defect?.description.contains("--upstream-host") == true)
  }
}

@Suite("A request that is forwarded")
struct ForwardedRequestTests {
  private func forwarded(
    _ text: String, base: String = "", readsContent: Bool = false, labels: Int = 0
  ) throws -> [String] {
    var parser = RequestParser()
    parser.receive(Array(text.utf8)[...])
    guard case .request = parser.next() else {
      Issue.record("it is no request: \(text)")
      return []
    }
    let request = parser.takeRequest()
    let origins = OriginMap(
      backend: OriginMap.Place(scheme: .http, authority: "shop:3000", prefix: base),
      client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: ""))
    let bytes = ForwardedRequest(origins: origins, readsContent: readsContent, pseudonym: "understudy-1f")
      .bytes(of: request, droppingLabels: labels)
    return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
  }

  @Test("has method, target, fields and content as they were sent")
  func verbatim() throws {
    let lines = try forwarded(
      "PATCH //a%2Fb/?q=%20 HTTP/1.1\r\nHost: localhost:8080\r\nX-a: 1\r\nx-A:  two \r\nCookie: c=d\r\nContent-Length: 5\r\n\r\nhello"
    )
    #expect(
      lines == [
        "PATCH //a%2Fb/?q=%20 HTTP/1.1", "Host: shop:3000", "X-a: 1", "x-A: two", "Cookie: c=d", "Content-Length: 5",
        "Via: 1.1 understudy-1f", "Connection: close", "", "hello",
      ])
  }

  @Test("loses the fields of the client's connection and of this server")
  func dropped() throws {
    let lines = try forwarded(
      "POST /orders HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-Mine\r\nKeep-Alive: 5\r\nX-Mine: 1\r\nTE: trailers\r\n"
        + "Upgrade: h2c\r\nHTTP2-Settings: x\r\nProxy-Connection: close\r\nExpect: 100-continue\r\nUnderstudy-Client: me\r\n"
        + "understudy-sandbox: s\r\nFault-Key: k\r\nAuthorization: Bearer b\r\nTransfer-Encoding: chunked\r\nTrailer: Z\r\n\r\n"
        + "2\r\nhi\r\n0\r\nZ: 1\r\n\r\n")
    #expect(
      lines == [
        "POST /orders HTTP/1.1", "Host: shop:3000", "Authorization: Bearer b", "Content-Length: 2",
        "Via: 1.1 understudy-1f",
        "Connection: close", "", "hi",
      ])
  }

  @Test("keeps the preferences of other specifications, in their order")
  func preferences() throws {
    let lines = try forwarded(
      "GET / HTTP/1.1\r\nHost: a\r\nPrefer: return=minimal, fault=reset; phase=after\r\nPrefer: delay=2s, wait=5\r\n\r\n"
    )
    #expect(lines.contains("Prefer: return=minimal, wait=5"))
    let own = try forwarded("GET / HTTP/1.1\r\nHost: a\r\nPrefer: code=503\r\n\r\n")
    #expect(!own.contains { $0.hasPrefix("Prefer") })
  }

  @Test("asks for content without a coding only where the plan changes it")
  func identity() throws {
    let text = "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"
    #expect(try forwarded(text).filter { $0.hasPrefix("Accept-Encoding") } == ["Accept-Encoding: gzip"])
    #expect(
      try forwarded(text, readsContent: true).filter { $0.hasPrefix("Accept-Encoding") }
        == ["Accept-Encoding: identity"])
  }

  @Test(
    "has the path below the base, without labels",
    arguments: [
      ("/orders", "", 0, "/orders"), ("/orders?a=b", "/v1", 0, "/v1/orders?a=b"), ("/", "/v1", 0, "/v1/"),
      ("/@ci/orders", "/v1", 1, "/v1/orders"), ("//@ci//orders/", "", 1, "//orders/"), ("/@ci", "", 1, "/"),
      ("/@ci?x", "", 1, "/?x"), ("/@ci/orders", "", 0, "/@ci/orders"), ("http://b/x", "", 0, "/x"),
    ])
  func targets(target: String, base: String, labels: Int, result: String) throws {
    let lines = try forwarded("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", base: base, labels: labels)
    #expect(lines.first == "GET \(result) HTTP/1.1")
  }

  @Test("keeps * as the target of OPTIONS, and a content of no bytes")
  func edges() throws {
    #expect(try forwarded("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", base: "/v1").first == "OPTIONS * HTTP/1.1")
    #expect(try forwarded("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").contains("Content-Length: 0"))
    #expect(try !forwarded("GET / HTTP/1.1\r\nHost: a\r\n\r\n").contains { $0.hasPrefix("Content-Length") })
    #expect(try forwarded("GET / HTTP/1.0\r\n\r\n").contains("Via: 1.0 understudy-1f"))
  }
}
