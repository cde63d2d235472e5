import Contract
import Foundation
import HTTP1
import Services
import Testing

@testable import Understudy

@Suite("The fields with URLs of a request that is forwarded")
struct ForwardedOriginTests {
  private static let elsewhere = OriginMap(
    backend: OriginMap.Place(scheme: .https, authority: "api.example", aliases: ["127.0.0.1:3001"], prefix: "/v1"),
    client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: "/@ci"))

  @Test(
    "name the backend's origin where they named this server's, and are as they were otherwise",
    arguments: [
      ("Origin", "http://localhost:8080", "https://api.example"),
      ("origin", "http://127.0.0.1:8080", "https://api.example"),
      ("Origin", "http://localhost:5173", "http://localhost:5173"), ("Origin", "null", "null"),
      ("Referer", "http://localhost:8080/@ci/form?a=1", "https://api.example/v1/form?a=1"),
      ("Referer", "http://elsewhere/@ci/form", "http://elsewhere/@ci/form"),
      ("Destination", "http://localhost:8080/@ci/b%20c", "https://api.example/v1/b%20c"),
      ("Destination", "/@ci/b", "/v1/b"), ("X-Other", "http://localhost:8080/@ci/b", "http://localhost:8080/@ci/b"),
    ])
  func translated(name: String, value: String, result: String) {
    let found = Self.elsewhere.backendValue(of: Array(value.utf8)[...], named: Array(name.utf8)[...])
    #expect(String(decoding: found, as: UTF8.self) == result)
  }

  @Test("are byte for byte as they were if the backend is asked by the client's own name")
  func same() {
    let place = OriginMap.Place(scheme: .http, authority: "localhost:8080", aliases: ["127.0.0.1:3000"], prefix: "")
    let origins = OriginMap(
      backend: place, client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: ""))
    for url in ["http://127.0.0.1:8080/a", "http://localhost:8080", "HTTP://LOCALHOST:8080//b"] {
      let bytes = Array(url.utf8)
      #expect(origins.backendValue(of: bytes[...], named: Array("referer".utf8)[...]) == bytes)
      #expect(origins.clientValue(of: bytes[...], named: Array("location".utf8)[...]) == bytes)
    }
    let own = origins.clientValue(of: Array("http://127.0.0.1:3000/a".utf8)[...], named: Array("location".utf8)[...])
    #expect(String(decoding: own, as: UTF8.self) == "http://localhost:8080/a")
  }
}

@Suite("A response that is forwarded")
struct ForwardedHeadTests {
  private static let origins = OriginMap(
    backend: OriginMap.Place(scheme: .http, authority: "shop:3000", aliases: ["api.example"], prefix: "/v1"),
    client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: "/@ci"))

  private func head(_ text: String, toHead: Bool = false) throws -> ForwardedHead {
    ForwardedHead(try ReceivedResponse(Array(text.utf8), toHead: toHead).head, Self.origins)
  }

  @Test("has its fields as they were sent, less those of the connection")
  func fields() throws {
    let head = try head(
      "HTTP/1.1 200 OK\r\nX-a: 1\r\nConnection: close, X-Mine\r\nX-Mine: 2\r\nKeep-Alive: 5\r\nSet-Cookie: a\r\nset-cookie: b\r\n"
        + "Content-Type: text/x\r\nETag: W/\"1\"\r\nUpgrade: h2c\r\nUnderstudy-Request: 7\r\nContent-Length: 0\r\n\r\n")
    let lines = head.fields.map { String(decoding: $0.name + [0x3A] + $0.value, as: UTF8.self) }
    #expect(lines == ["X-a:1", "Set-Cookie:a", "set-cookie:b", "ETag:W/\"1\""])
    #expect(head.contentType == Array("text/x".utf8) && head.announcedLength == nil)
  }

  @Test("announces the length of content that does not follow, except with 204")
  func announced() throws {
    #expect(try head("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", toHead: true).announcedLength == Array("5".utf8))
    #expect(try head("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").announcedLength == Array("5".utf8))
    #expect(try head("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n").announcedLength == nil)
  }

  @Test(
    "has URLs of the upstream's origin as the client's, and others as they are",
    arguments: [
      ("http://shop:3000/v1/orders/1", "http://localhost:8080/@ci/orders/1"),
      ("http://API.example:80/v1?a", "http://localhost:8080/@ci?a"), ("//shop:3000/v1/", "http://localhost:8080/@ci/"),
      ("/v1/orders/1", "/@ci/orders/1"), ("/v1", "/@ci"), ("/v10", "/v10"), ("/other", "/other"), ("1", "1"),
      ("http://shop:3001/v1/x", "http://shop:3001/v1/x"), ("http://shop:3000/other", "http://shop:3000/other"),
      ("https://elsewhere/v1", "https://elsewhere/v1"), ("mailto:a@b", "mailto:a@b"), ("", ""),
    ])
  func links(url: String, result: String) throws {
    for name in ["Location", "content-location"] {
      let head = try head("HTTP/1.1 201 Created\r\n\(name): \(url)\r\nContent-Length: 0\r\n\r\n")
      #expect(String(decoding: head.fields[0].value, as: UTF8.self) == result)
    }
    let other = try head("HTTP/1.1 201 Created\r\nLink: <\(url)>; title=\"<\(url)>\"\r\nContent-Length: 0\r\n\r\n")
    #expect(String(decoding: other.fields[0].value, as: UTF8.self) == "<\(result)>; title=\"<\(url)>\"")
  }

  @Test(
    "has a cookie that its client sends back: without the backend's domain, and below the client's prefix",
    arguments: [
      ("a=1; Domain=api.example; Path=/v1; HttpOnly", "a=1; Domain=api.example; Path=/@ci; HttpOnly"),
      ("a=1; domain=.shop; Secure", "a=1; Secure"), ("a=1; Path=/v1/login", "a=1; Path=/@ci/login"),
      ("a=1; Path=/", "a=1; Path=/@ci"), ("a=1; Path=/other", "a=1; Path=/other"), ("a=1", "a=1"),
      ("__Host-a=1; Path=/; Secure", "__Host-a=1; Path=/; Secure"), ("a=\"x;y\"", "a=\"x;y\""),
    ])
  func cookies(cookie: String, result: String) throws {
    let head = try head("HTTP/1.1 200 OK\r\nSet-Cookie: \(cookie)\r\nContent-Length: 0\r\n\r\n")
    #expect(String(decoding: head.fields[0].value, as: UTF8.self) == result)
  }

  @Test("keeps the bytes of a URL that are no UTF-8, and never begins a path with two slashes")
  func bytesOfURLs() throws {
    var bytes = Array("HTTP/1.1 301 Moved\r\nLocation: /v1/caf".utf8) + [0xE9]
    bytes += "\r\nContent-Length: 0\r\n\r\n".utf8
    let head = ForwardedHead(try ReceivedResponse(bytes).head, Self.origins)
    #expect(head.fields[0].value == Array("/@ci/caf".utf8) + [0xE9])
    let origins = OriginMap(
      backend: OriginMap.Place(scheme: .http, authority: "shop", prefix: "/base"),
      client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: ""))
    let found = origins.clientValue(of: Array("/base//evil".utf8)[...], named: Array("Location".utf8)[...])
    #expect(String(decoding: found, as: UTF8.self) == "http://localhost:8080//evil")
  }

  @Test(
    "allows the origin of the client where the backend allows its own, but the page's own is as the page sent it",
    arguments: [
      ("http://shop:3000", false, "http://localhost:8080"), ("http://shop:3000", true, "http://shop:3000"),
      ("*", false, "*"), ("null", false, "null"), ("http://page:1", false, "http://page:1"),
    ])
  func allowedOrigins(origin: String, isForForeignPage: Bool, result: String) {
    var origins = Self.origins
    origins.isForForeignPage = isForForeignPage
    let found = origins.clientValue(
      of: Array(origin.utf8)[...], named: Array("access-control-allow-origin".utf8)[...])
    #expect(String(decoding: found, as: UTF8.self) == result)
  }

  @Test(
    "has a path in the URL of the base itself, where the client has no label",
    arguments: [
      ("/v1", "/"), ("/v1?a", "/?a"), ("/v1#a", "/#a"), ("/v1/", "/"),
      ("http://shop:3000/v1", "http://localhost:8080/"),
      ("//shop:3000/v1?a", "http://localhost:8080/?a"),
    ])
  func baseLinks(url: String, result: String) {
    let origins = OriginMap(
      backend: OriginMap.Place(scheme: .http, authority: "shop:3000", prefix: "/v1"),
      client: OriginMap.Place(scheme: .http, authority: "localhost:8080", prefix: ""))
    let found = origins.clientValue(of: Array(url.utf8)[...], named: Array("location".utf8)[...])
    #expect(String(decoding: found, as: UTF8.self) == result)
  }

  @Test(
    "has JSON, HTML or an image only without a content coding",
    arguments: [
      ("application/json", nil, .json), ("application/problem+json; charset=utf-8", nil, .json),
      ("Text/HTML;charset=x", nil, .html), ("image/png", nil, .png), ("text/plain", nil, .text),
      ("application/json", "gzip", .text), ("application/json", "identity", .json), (nil, nil, .text),
    ] as [(String?, String?, MediaType)])
  func types(type: String?, coding: String?, mediaType: MediaType) throws {
    let fields = (type.map { "Content-Type: \($0)\r\n" } ?? "") + (coding.map { "Content-Encoding: \($0)\r\n" } ?? "")
    #expect(try head("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n").mediaType == mediaType)
  }
}
