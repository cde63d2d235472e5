import LiveTesting
import Primitives
import Testing

@testable import Understudy

@Suite("The rules of HTTP/1.1")
struct StrictHTTPTests {
  @Test("hold for requests and connections (RFC 9112)", arguments: Rule.messages)
  func messages(rule: Rule) async throws { try await hold(rule) }

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
}
