import Foundation
import JSON
import LiveTesting
import Testing

@testable import Primitives
@testable import Understudy

@Suite("Credentials in the journal", .live, .temporaryFiles)
struct SecretTests {
  @Test(
    "are masked in fields, queries, URLs, forms and JSON",
    arguments: [
      wire("GET", "/devices", "Authorization: Bearer hush"), wire("GET", "/devices", "X-API-Key: hush"),
      wire("GET", "/devices", "x_api_key: hush"), wire("GET", "/devices?access_token=hush&x=1"),
      wire("GET", "/devices?AccessToken=hush"), wire("GET", "/devices?access%5Ftoken=hush"),
      wire("GET", "/devices?state=1&code=hush"), wire("GET", "/devices", "Referer: http://a.example/?token=hush#x"),
      wire("GET", "/devices", "Referer: http://ann:hush@a.example/"),
      wire("POST", "/book", body: #"{"name": "Ljerka", "user": {"password" : "hush \" hush"}}"#),
      wire("POST", "/book", body: #"{"clientSecret": 7777777, "a": [{"token":"hush"}]}"#),
      wire("POST", "/book", body: #"{"_token": "hush", "__password__": "hush"}"#),
      wire("POST", "/book", body: "name=Ljerka&password=hush"), wire("POST", "/book", body: #"{"password": "hush"#),
    ])
  func masked(request: String) async throws {
    try await withServer { server in
      _ = try exchange(server, request)
      let journal = try exchange(server, wire("GET", "/_mock/journal")).text
      #expect(journal.contains("(masked-") && !journal.contains("hush") && !journal.contains("7777777"), "\(journal)")
      let entry = try #require(try JSONValue(parsing: journal)["entries"]?.array?.first)
      #expect(entry["path"] == "/devices" || entry["path"] == "/book")
      #expect(entry["request", "headers"]?["Host"] == "localhost")
    }
  }

  @Test(
    "leave other values as they came",
    arguments: [
      wire("GET", "/devices?code=7&zip=8"), wire("GET", "/devices", "Idempotency-Key: 78", "X-Token-Count: 8"),
      wire("POST", "/book", body: #"{"name": "token", "tokens": 78, "passwords": ["78"]}"#),
    ])
  func others(request: String) async throws {
    try await withServer { server in
      _ = try exchange(server, request)
      #expect(!(try exchange(server, wire("GET", "/_mock/journal")).text.contains("(masked")))
    }
  }

  @Test("stay equal if they are, so that a reader can tell them apart")
  func equality() async throws {
    try await withServer { server in
      for key in ["one", "two", "one"] { _ = try exchange(server, wire("GET", "/devices", "X-Api-Key: \(key)")) }
      let entries = try JSONValue(parsing: exchange(server, wire("GET", "/_mock/journal")).body)["entries"]?.array ?? []
      let keys = entries.compactMap { $0["request", "headers"]?["X-Api-Key"]?.string }
      #expect(keys.count == 3 && keys[0] == keys[2] && keys[0] != keys[1])
    }
  }

  @Test("are shown where the operator asks for it, and if they identify a write")
  func shown() async throws {
    try await withServer { options in
      options.journalsSecrets = true
    } _: { server in
      _ = try exchange(server, wire("GET", "/devices", "Authorization: Bearer seen"))
      #expect(try exchange(server, wire("GET", "/_mock/journal")).text.contains("Bearer seen"))
    }
    let file = try TemporaryFiles.newFile()
    try Data(#"[{"match": "POST /pay", "effect": "add", "key": "/token"}]"#.utf8).write(to: file)
    let backend = try ScriptedBackend(
      answering: ScriptedBackend.response("200 OK", "{}", "Set-Cookie: sid=hush; Path=/", "Location: /?code=hush"))
    try await Stage.inFrontOf(backend) { options in
      options.semanticsFile = file.path
    } body: { stage in
      _ = try exchange(stage.server, wire("POST", "/pay", body: #"{"token": "seen", "password": "hush"}"#))
      let text = try await stage.lastEnded().text
      #expect(text.contains("seen") && !text.contains("hush"), "\(text)")
      #expect(text.contains("sid=(masked-") && text.contains("; Path=/"))
    }
  }

  @Test("have their names on the page about security")
  func listed() throws {
    let page = try String(contentsOf: Repository.page("Security"), encoding: .utf8)
    for name in SecretNames.listedFields + SecretNames.listedMembers { #expect(page.contains("`\(name)`"), "\(name)") }
  }
}
