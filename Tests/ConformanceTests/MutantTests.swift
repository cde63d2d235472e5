import Foundation
import LiveTesting
import Testing
import Understudy

@testable import Conformance

@Suite("Mutants", .live)
struct MutantTests {
  private static let all = Mutant.apis + Mutant.wire

  @Test("have unique names, and catching checks that exist")
  func catalogue() {
    #expect(Self.all.count >= 25)
    #expect(Set(Self.all.map(\.name)).count == Self.all.count)
    #expect(Set(Self.all.map(\.catcher)).isSubset(of: Check.all.map(\.id)))
  }

  @Test("are each caught by the named check", arguments: WholeProof.sample(every: 3, of: all))
  func caught(mutant: Mutant) async throws {
    let verdict = try await Self.judge(behind: mutant, only: [mutant.catcher])
    let result = try #require(verdict[mutant.catcher])
    guard case .failed(let expected, let found) = result.outcome else {
      Issue.record("\(mutant.catcher) came to \(result.outcome)")
      return
    }
    #expect(!expected.isEmpty && !found.isEmpty)
    #expect(verdict.report().contains("FAILED   \(mutant.catcher):"))
  }

  @Test("are what these checks find: the server passes them through a proxy without a mutant")
  func unmutated() async throws {
    let verdict = try await Self.judge(behind: .none, only: Array(Set(Self.all.map(\.catcher))))
    #expect(verdict.failed.isEmpty && verdict.skipped == 0, "\(verdict.report())")
  }

  @Test(
    "made by rule prove every check that no named one proves: each fails behind one of them",
    .enabled(if: WholeProof.isDemanded))
  func proven() async throws {
    var unproven = Set(Check.all.map(\.id)).subtracting(Self.all.map(\.catcher))
    for mutant in Mutant.byRule where !unproven.isEmpty {
      let verdict = try await Self.judge(behind: mutant, only: unproven.sorted(), patience: .seconds(2))
      unproven.subtract(verdict.failed.map(\.check.id))
    }
    #expect(unproven.subtracting(Self.ofOwnSandbox).isEmpty, "\(unproven.sorted())")
  }

  /// The checks of the operations by which the suite makes its own sandboxes: it stops where they are damaged.
  private static let ofOwnSandbox: Set = [
    "control-sandbox-names", "delete-sandbox-204", "delete-sandbox-404", "delete-sandbox-409", "get-health-200",
    "make-sandbox-201", "make-sandbox-400", "make-sandbox-409",
  ]

  @Test("are not confused with data that changes by itself between two requests")
  func changing() async throws {
    let isFirst = First()
    let changing = Mutant.answering("another list at first", caughtBy: "") { request, answer in
      if request.path == "/devices", isFirst.take() { answer.text = answer.text.replacing("Kitchen", with: "Attic") }
    }
    let verdict = try await Self.judge(behind: changing, only: ["devices-trailing-slash"])
    #expect(verdict.failed.isEmpty && !isFirst.take(), "\(verdict.report())")
  }

  private static func judge(
    behind mutant: Mutant, only: [String], patience: Duration = Patience.limit
  ) async throws -> ConformanceReport {
    let server = try await MockServer.start(.patient)
    let proxy = try Proxy(before: server.port, mutant)
    do {
      let verdict = try await ConformanceSuite.judge(
        proxy.url, only: only, patience: patience, limit: Patience.limit * 10)
      await server.stop()
      return verdict
    } catch {
      await server.stop()
      throw error
    }
  }
}

/// A flag that is true once, and false from then on.
private final class First: @unchecked Sendable {
  private let lock = NSLock()
  private var isFirst = true

  func take() -> Bool {
    lock.withLock {
      defer { isFirst = false }
      return isFirst
    }
  }
}
