import Foundation
import LiveTesting
import Primitives
import Testing

@testable import Report
@testable import Understudy

@Suite("The page about the checks")
struct CheckReferenceTests {
  private static let page = Repository.page("ReportCard")

  /// The sections by their headings.
  private static func sections() throws -> [String: String] {
    let text = try String(contentsOf: page, encoding: .utf8)
    let parts = text.components(separatedBy: "\n### ").dropFirst()
    return Dictionary(uniqueKeysWithValues: parts.map { part in (String(part.prefix { $0 != "\n" }), part) })
  }

  @Test("has exactly one section for every check")
  func isComplete() throws {
    #expect(Set(try Self.sections().keys) == Set(CheckRunner.ids))
  }

  @Test("explains for every check when it passes, and when it warns or fails", arguments: CheckRunner.ids)
  func saysBoth(id: String) throws {
    let section = try #require(try Self.sections()[id])
    #expect(section.contains("**Passes:**"))
    #expect(section.contains("**Fails:**") || section.contains("**Warns"))
  }
}
