import Foundation
import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("The rules of HTTP/1.1")
struct StrictHTTPTests {
  @Test("hold for messages (RFC 9112, section 2)", arguments: Rule.messages)
  func messages(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for request lines and targets (RFC 9112, section 3)", arguments: Rule.requestLines)
  func requestLines(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for Host (RFC 9112, section 3.2)", arguments: Rule.hosts)
  func hosts(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for fields (RFC 9112 and 9110, section 5)", arguments: Rule.fields)
  func fields(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for framing (RFC 9112, section 6)", arguments: Rule.framing)
  func framing(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for chunks and incomplete bodies (RFC 9112, sections 7 and 8)", arguments: Rule.chunking)
  func chunking(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for connections (RFC 9112, section 9)", arguments: Rule.connections)
  func connections(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for expectations (RFC 9110, section 10.1.1)", arguments: Rule.expectations)
  func expectations(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for methods, content and negotiation (RFC 9110, sections 2 to 12)", arguments: Rule.semantics)
  func semantics(rule: Rule) async throws { try await hold(rule) }

  @Test("hold for conditions, ranges and statuses (RFC 9110, sections 13 to 15)", arguments: Rule.conditions)
  func conditions(rule: Rule) async throws { try await hold(rule) }

  private func hold(_ rule: Rule) async throws {
    try await withServer { server in
      let breach = try rule.breach(server)
      #expect(breach == nil, "RFC \(rule.section)")
    }
  }

  static let all =
    Rule.messages + Rule.requestLines + Rule.hosts + Rule.fields + Rule.framing + Rule.chunking
    + Rule.connections + Rule.expectations + Rule.semantics + Rule.conditions

  @Test("are counted correctly by the page about HTTP")
  func counts() throws {
    // The chapter of 9112 6.1 is 9112 6.
    let chapters = Dictionary(grouping: Self.all) { rule in String(rule.section.prefix { $0 != "." }) }
    let order = chapters.keys.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    let rows = order.map { chapter in
      let counts = Rule.Strength.allCases.map { strength in
        chapters[chapter]?.count { $0.strength == strength } ?? 0
      }
      return "| \(chapter) | " + counts.map { $0 == 0 ? "" : "\($0)" }.joined(separator: " | ") + " |"
    }
    let page = try String(contentsOf: Repository.page("HTTPToTheLetter"), encoding: .utf8)
    let table = rows.joined(separator: "\n") + "\n"
    #expect(page.contains(table), "\(table)")
    #expect(page.contains("\(Self.all.count) rules"), "\(Self.all.count)")
  }
}
