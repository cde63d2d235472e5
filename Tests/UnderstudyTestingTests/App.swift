import Foundation
import JSON

@testable import UnderstudyTesting

/// A client as careless as an app can be: it repeats what got no response, without a key.
struct App {
  let backend: Backend

  func get(_ path: String) async throws { _ = try await backend.client.send(.get, path) }

  /// Sets the installation date of a device.
  func install(_ id: String) async throws {
    try await backend.client.send(.patch, "/devices/" + id, ["installationDate": "2026-11-22T10:00:00Z"])
  }

  func book(_ room: String) async throws { try await backend.client.send(.post, "/book", ["name": .string(room)]) }

  /// Books, and books once more if there was no response.
  func bookStubbornly(_ room: String) async throws {
    do {
      try await book(room)
    } catch {
      try await book(room)
    }
  }
}

extension Scenario {
  /// The first write of each path is done, and its response lost.
  static let firstResponseLost = Scenario("first response lost") {
    Rule(.reset, name: "lost", for: .writes, when: .first(1), phase: .after)
  }
}
