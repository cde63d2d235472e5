import JSON
import Testing

@Suite("A table of names")
struct NameTableTests {
  private let names = NameTable(["id", "type", "types", "a\"b\\", "größe"])

  @Test("finds a name by its bytes, and no other")
  func index() {
    #expect(names.index(of: "id") == 0 && names.index(of: "types") == 2 && names.index(of: "größe") == 4)
    #expect(names.index(of: "ty") == nil && names.index(of: "") == nil && names.index(of: "di") == nil)
    #expect(names.index(of: "gro\u{308}ße") == nil, "the same characters, but other bytes")
  }

  @Test(
    "does not change what a text is",
    arguments: [
      #"{"id": 1, "type": [{"types": "id"}], "typ": 2, "typesetter": 3, "": 4, "größe": 5}"#,
      #"{"a\"b\\": 1, "a": 2, "t\u0079pes": 3, "type" :{"id":null}}"#,
    ])
  func values(text: String) throws {
    let bytes = Array("  \(text)".utf8)[2...]
    let plain = try JSONValue(parsing: bytes)
    #expect(try JSONValue(parsing: bytes, naming: names) == plain)
    #expect(plain.object?.members.count ?? 0 > 3)
  }

  @Test(
    "does not change the error of a text that is no JSON",
    arguments: [
      #"{"id"#, #"{"id""#, #"{"id" 1}"#, #"{"id": 1, "id": 2}"#, #"{"t\u0079pe": 1, "type": 2}"#, #"{id": 1}"#,
    ])
  func errors(text: String) {
    let bytes = Array(text.utf8)[...]
    func error(_ names: NameTable) -> JSONSyntaxError? {
      do throws(JSONSyntaxError) {
        _ = try JSONValue(parsing: bytes, naming: names)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(names) != nil && error(names) == error(.empty))
  }
}
