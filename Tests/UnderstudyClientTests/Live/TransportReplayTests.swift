#if canImport(FoundationNetworking)
  import Foundation
  import JSON
  import LiveTesting
  import Testing

  @testable import UnderstudyClient

  @Suite("libcurl under URLSession")
  struct TransportReplayTests {
    /// A busy machine can delay libcurl so long that a repetition cannot be distinguished from a retry; then the test
    /// repeats the attempt.
    @Test("tries each pooled connection once when all are reset, and the journal records one request and its replays")
    func chain() async throws {
      let isConclusive = try await succeeds {
        let sandbox = try await LiveSandbox()
        let (kept, tries) = try await tryInVain(sandbox)
        guard Self.isPrompt(tries) else { return false }
        let connections = tries.compactMap { $0["connection"]?.int }
        #expect(Set(connections.dropLast()) == kept, "each of the kept ones once")
        #expect(connections.last.map { kept.contains($0) } == false, "and a fresh one in the end")
        #expect(tries.allSatisfy { $0["n"] == 1 && $0["outcome"] == "reset" })
        #expect(tries.dropFirst().allSatisfy { $0["replayOf"] == tries[0]["id"] })
        let card = try await sandbox.control("GET", "report")
        #expect(card["replays"]?.int == kept.count)
        return true
      }
      #expect(isConclusive, "libcurl was held up each time")
    }

    /// Opens several persistent connections, resets all of them, and sends one request.
    ///
    /// - Returns: The connections, and the journal's entries of the failed attempts.
    private func tryInVain(_ sandbox: LiveSandbox) async throws -> (kept: Set<Int>, tries: [JSONValue]) {
      let transport = URLSessionTransport()
      @Sendable func get(_ id: Int) async -> Int? {
        let url = sandbox.url.appendingPathComponent("users/\(id)")
        return try? await transport.send(TransportRequest(method: "GET", url: url), timeout: Patience.limit).status
      }
      // Concurrent requests need separate connections, which then persist.
      try await arm([["effect": ["latency": "500ms"]]], sandbox)
      let first = await withTaskGroup(of: Int?.self) { group in
        for id in 1...4 { group.addTask { await get(id) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(first == [200, 200, 200, 200])
      let kept = Set(try await entries(sandbox).compactMap { $0["connection"]?.int })
      try #require(kept.count > 1)
      try await arm([["effect": ["fault": "reset-bare"]]], sandbox)
      #expect(await get(9) == nil)
      return (kept, try await entries(sandbox).filter { $0["path"] == "/users/9" })
    }

    /// Returns true if each attempt followed the previous one within the server's window for repetitions.
    private static func isPrompt(_ tries: [JSONValue]) -> Bool {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      let moments = tries.compactMap { $0["at"]?.string.flatMap { try? style.parse($0) } }
      return moments.count == tries.count
        && zip(moments, moments.dropFirst()).allSatisfy { $1.timeIntervalSince($0) < 0.24 }
    }

    private func arm(_ rules: [JSONValue], _ sandbox: LiveSandbox) async throws {
      try await sandbox.control("PUT", "scenario", ["name": "test", "rules": .array(rules)])
    }

    private func entries(_ sandbox: LiveSandbox) async throws -> [JSONValue] {
      let entries = try await sandbox.control("GET", "journal")["entries"]?.array ?? []
      return entries.filter { $0["path"] != nil }.sorted { $0["id"]?.int ?? 0 < $1["id"]?.int ?? 0 }
    }
  }
#endif
