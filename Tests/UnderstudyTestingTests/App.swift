import Foundation
import JSON

@testable import UnderstudyTesting

/// A careless client: it repeats a request that got no response, without an Idempotency-Key.
struct App {
  let backend: Backend

  func get(_ path: String) async throws { _ = try await backend.client.send(.get, path) }

  /// Sets the installation date of a device.
  func install(_ id: String) async throws {
    try await backend.client.send(.patch, "/devices/" + id, ["installationDate": "2026-11-22T10:00:00Z"])
  }

  func book(_ room: String) async throws { try await backend.client.send(.post, "/book", ["name": .string(room)]) }

  /// Books, and repeats the booking if there was no response.
  func bookStubbornly(_ room: String) async throws {
    do {
      try await book(room)
    } catch {
      try await book(room)
    }
  }
}

extension Scenario {
  /// The first write of each path is applied, and its response is lost.
  static let firstResponseLost = Scenario("first response lost") {
    Rule(.reset, name: "lost", for: .writes, when: .first(1), phase: .after)
  }
}
