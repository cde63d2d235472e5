import Contract
import ControlAPI
import Foundation
import LiveTesting
import Testing

@testable import Conformance

@Suite("The catalogue of checks")
struct CatalogueTests {
  @Test("has unique ids in kebab-case")
  func ids() {
    let ids = Check.all.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil })
    #expect(ids.count > 300)
    #expect(Set(Check.all.map(\.group)) == Set(ConformanceSuite.groups))
  }

  @Test("has a sentence for each check")
  func sentences() {
    for check in Check.all { #expect(check.sentence.hasSuffix("."), "\(check.id)") }
  }

  @Test("has a source for each check: an RFC section, a named standard, or an existing section of this repository")
  func sources() throws {
    let document = try Repository.text("openapi.yaml")
    for source in Set(Check.all.flatMap { $0.description.source.components(separatedBy: "; ") }) {
      let parts = source.components(separatedBy: ", ")
      let (name, place) = (parts[0], parts.dropFirst().joined(separator: ", "))
      switch name {
      case "openapi.yaml" where place.isEmpty || place == "info": continue
      case "Content Security Policy Level 3" where place.isEmpty: continue
      case "openapi.yaml": #expect(document.contains("operationId: \(place)\n"), "\(source)")
      case _ where name.hasSuffix(".md"):
        let file = name == "README.md" ? name : "Sources/\(name.split(separator: ".")[0])/\(name)"
        #expect(try Repository.text(file).contains("\n## \(place)\n"), "\(source)")
      default:
        #expect(source.wholeMatch(of: /RFC [1-9][0-9]{3} section [1-9][0-9]*(\.[1-9][0-9]*)*/) != nil, "\(source)")
      }
    }
  }

  /// Statuses that a client cannot provoke in reasonable time, and responses that have no end.
  private static let unprovoked: Set<String> = [
    "makeSandbox 507", "takeSnapshot 507", "armFault 507", "sendRequest 502", "streamJournal 200",
    "followBookingRooms 200",
  ]

  @Test("has a check for each status that the contract declares")
  func statuses() {
    let ids = Set(Check.all.map(\.id))
    for operation in (API.all + [.control]).flatMap(\.operations) {
      for response in operation.documentation.responses {
        let isThere = ids.contains(Check.kebab(operation.id) + "-\(response.status)")
        #expect(
          isThere != Self.unprovoked.contains("\(operation.id) \(response.status)"),
          "\(operation.id) \(response.status)")
      }
    }
  }

  @Test("selects checks by group or id, and refuses other words")
  func selection() throws {
    #expect(try ConformanceSuite.checks(only: ["users"]).allSatisfy { $0.group == "users" })
    #expect(try ConformanceSuite.checks(only: ["http-date", "house-cors"]).map(\.id) == ["house-cors", "http-date"])
    #expect(throws: JudgeError.self) { try ConformanceSuite.checks(only: ["no-such-check"]) }
  }

  @Test(
    "has facts of the real service and of ours for each API, and selects them apart", arguments: API.all.map(\.name))
  func origins(api: String) throws {
    let all = try ConformanceSuite.checks(only: [api])
    for origin in CheckDescription.Origin.allCases {
      let selected = try ConformanceSuite.checks(only: [origin.rawValue, api])
      #expect(!selected.isEmpty && selected.map(\.id) == all.filter { $0.origin == origin }.map(\.id))
    }
    #expect(try ConformanceSuite.checks(only: ["service", "ours", api]).map(\.id) == all.map(\.id))
  }
}

@Suite("The URL of a server under test")
struct JudgedURLTests {
  @Test(
    "is refused with the reason",
    arguments: [
      ("localhost:8080", "a URL with its scheme"), ("https://a.test", "https is not supported"),
      ("http://a:b", "a port from 1 to 65535"), ("http://a/?q", "a query"),
    ])
  func refused(url: String, reason: String) async throws {
    let error = await #expect(throws: JudgeError.self) { try await ConformanceSuite.judge(url) }
    let sentence = try #require(error).description
    #expect(sentence.hasPrefix("\(url): ") && sentence.contains(reason), "\(sentence)")
  }
}
