import Contract
import ControlAPI
import Foundation
import Primitives
import Testing

@Suite("The page about the control API")
struct ControlReferenceTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/Understudy/Understudy.docc/ControlAPI.md")

  @Test("is what the declarations print, byte for byte")
  func isPrinted() throws {
    let page = ControlReference.page
    if ProcessInfo.processInfo.environment["UNDERSTUDY_WRITE"] == "1" { try Data(page.utf8).write(to: Self.file) }
    let committed = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(committed == page, "run: UNDERSTUDY_WRITE=1 swift test --filter ControlReferenceTests")
  }

  @Test("has a curl line of every operation", arguments: API.control.operations.map(\.id))
  func isComplete(id: String) throws {
    let operation = try #require(API.control.operations.first { $0.id == id })
    let sections = ControlReference.page.split(separator: "\n## ")
    let section = try #require(
      sections.first { $0.hasPrefix("\(operation.method.rawValue) \(operation.path.text)\n") })
    #expect(section.contains("curl ") && section.contains("http://localhost:8080" + operation.example))
  }

  @Test(
    "is named in the response to an unknown path, with the path that was meant",
    arguments: [
      ("/_mock/snapshot", "Did you mean /_mock/snapshots?"), ("/_mock/helth", "Did you mean /_mock/health?"),
      ("/_mock/journal/strem", "Expected one of /_mock/journal, /_mock/journal/stream."),
      ("/_mock/nothing-like-it", "After /_mock/ comes one of health, sandboxes,"),
    ])
  func isNamed(path: String, advice: String) {
    let detail = Problem.unknownControlPath(path).detail
    #expect(detail.contains(advice) && detail.contains("The page Control API"), "\(detail)")
  }
}
