import HTTP1
import Testing

@Suite("The URL of a server")
struct BaseURLTests {
  @Test(
    "has a host, a port and a path",
    arguments: [
      ("http://localhost:3000", "localhost", 3000, "", "localhost:3000"),
      ("HTTP://10.0.0.5/", "10.0.0.5", 80, "", "10.0.0.5"),
      ("http://[::1]:8080/base/", "::1", 8080, "/base", "[::1]:8080"),
      ("http://api.example//v1//x", "api.example", 80, "/v1/x", "api.example"),
      ("http://[::1]", "::1", 80, "", "[::1]"), ("http://a:", "a", 80, "", "a:"),
      ("https://api.example/v1", "api.example", 443, "/v1", "api.example"),
    ])
  func parts(url: String, host: String, port: Int, path: String, authority: String) throws {
    let base = try BaseURL(url)
    #expect(base.host == host && base.port == port && base.path == path && base.authority == authority)
  }

  @Test(
    "is refused with the reason",
    arguments: [
      ("", "a URL with its scheme"), ("localhost:3000", "a URL with its scheme"), ("ftp://a", "the scheme is ftp"),
      ("http://", "the host is missing"), ("http:///x", "the host is missing"), ("http://:80", "the host is missing"),
      ("http://a:0", "port from 1"),
      ("http://a:99999", "port from 1 to 65535, found 99999"), ("http://a:3o", "port from 1 to 65535, found 3o"),
      ("http://[::1]:0", "port from 1"), ("http://a b:1", "malformed"), ("http://[::1]x", "malformed"),
      ("http://a/?q", "query"), ("http://a/#f", "fragment"), ("http://a/ä", "percent-encoded"),
      ("http://[::1", "malformed"),
    ])
  func refused(url: String, reason: String) {
    let defect = #expect(throws: BaseURL.Defect.self) { try BaseURL(url) }
    #expect(defect?.description.hasPrefix(url + ":") == true && defect?.description.contains(reason) == true)
  }

  @Test("is refused with user information, and the sentence has no password")
  func userInformation() {
    let defect = #expect(throws: BaseURL.Defect.self) { try BaseURL("http://me:secret@a") }
    #expect(defect?.description == "the URL has user information, which is not supported")
  }
}
