import Foundation
import LiveTesting
import Testing

@testable import UnderstudyClient

@Suite("The activity feed")
struct ActivityFeedTests {
  private static func activity(_ id: Int, archived: Bool) -> String {
    """
    {"id":\(id),"created_at":"2018-04-19T09:38:41.000Z","direction":"outbound","from":"A","to":"B","via":"NYC",
    "duration":"120","is_archived":\(archived),"call_type":"missed"}
    """
  }

  /// A list of two calls that are not archived; writes go to `write`.
  private static func transport(
    _ write: @escaping @Sendable (TransportRequest, Int) async -> ScriptedTransport.Answer
  ) -> ScriptedTransport {
    ScriptedTransport { request, number in
      guard request.method == "GET" else { return await write(request, number) }
      let id = Int(request.url.lastPathComponent)
      if request.url.path.hasSuffix("/reset") { return .response(200, #"{"message":"done"}"#) }
      guard let id else { return .response(200, "[\(activity(1, archived: false)),\(activity(2, archived: false))]") }
      return .response(200, activity(id, archived: false))
    }
  }

  private static func archives(_ request: TransportRequest) -> Bool {
    String(decoding: request.body ?? Data(), as: UTF8.self).contains("true")
  }

  @Test("shows a call as archived at once, and keeps it archived when the server confirms")
  func archive() async throws {
    let gate = Gate()
    let transport = Self.transport { request, _ in
      await gate.pass()
      return .response(200, Self.activity(1, archived: Self.archives(request)))
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    var updates = await feed.updates().makeAsyncIterator()
    #expect(await updates.next()?.activities.map(\.isArchived) == [false, false])
    let write = Task { try await feed.setArchived(true, for: 1) }
    #expect(await updates.next()?.activities.map(\.isArchived) == [false, true], "before the server has answered")
    #expect(await feed.state.archive.map(\.id) == [1])
    try await feed.refresh()
    #expect(await feed.state.archive.map(\.id) == [1], "an older list does not take it back")
    await gate.open()
    #expect(try await write.value.isArchived)
    #expect(await feed.state.inbox.map(\.id) == [2])
  }

  @Test("rolls back a change that was rejected, not sent, or missing when the call is read again")
  func rollBack() async throws {
    for answer in [ScriptedTransport.Answer.response(404), .offline, .lost] {
      let feed = try ActivityFeed(.scripted(Self.transport { _, _ in answer }), .memory())
      try await feed.refresh()
      await #expect(throws: RequestError.self) { try await feed.setArchived(true, for: 1) }
      #expect(await feed.state.activities.map(\.isArchived) == [false, false])
    }
  }

  @Test("keeps a change whose response was lost if reading the call again shows it")
  func lostReply() async throws {
    let transport = ScriptedTransport { request, _ in
      request.method == "GET" ? .response(200, Self.activity(1, archived: true)) : .lost
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    #expect(try await feed.setArchived(true, for: 1).isArchived)
  }

  @Test("shows the later of two changes, and writes it last, even if the first fails")
  func twoIntentions() async throws {
    let gate = Gate()
    let arrived = Gate()
    let transport = Self.transport { request, _ in
      await arrived.open()
      await gate.pass()
      return Self.archives(request) ? .response(404) : .response(200, Self.activity(1, archived: false))
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    let first = Task { try await feed.setArchived(true, for: 1) }
    await arrived.pass()
    let second = Task { try await feed.setArchived(false, for: 1) }
    #expect(await succeeds { await feed.state.archive.isEmpty })
    await gate.open()
    await #expect(throws: RequestError.self) { try await first.value }
    #expect(try await second.value.isArchived == false)
    let bodies = await transport.requests.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
    #expect(bodies == [#"{"is_archived":true}"#, #"{"is_archived":false}"#])
    #expect(await feed.state.inbox.count == 2)
  }

  @Test("sends the later of two changes after the response to the earlier one")
  func inOrder() async throws {
    let (arrived, answered) = (Gate(), Gate())
    let transport = Self.transport { request, _ in
      await arrived.open()
      if Self.archives(request) { await answered.pass() }
      return .response(200, Self.activity(1, archived: Self.archives(request)))
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    let first = Task { try await feed.setArchived(true, for: 1) }
    await arrived.pass()
    let second = Task { try await feed.setArchived(false, for: 1) }
    #expect(await succeeds { await feed.state.archive.isEmpty })
    // Only the first write can hold the second one back.
    for _ in 0..<1_000 { await Task.yield() }
    #expect(await transport.requests.count { $0.body != nil } == 1)
    await answered.open()
    _ = try await (first.value, second.value)
    #expect(await transport.requests.count { $0.body != nil } == 2)
  }

  @Test("reads the list after a reset, and reads single calls")
  func resetAndDetail() async throws {
    let transport = Self.transport { _, _ in .lost }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.reset()
    #expect(await feed.state.activities.count == 2)
    #expect(try await feed.detail(2).value.id == 2)
    #expect(await transport.requests.map(\.url.lastPathComponent) == ["reset", "activities", "2"])
  }

  @Test("returns a listed call as it is known if the server does not answer")
  func detailOffline() async throws {
    let transport = ScriptedTransport { request, number in
      number == 1 ? .response(200, "[\(Self.activity(1, archived: true))]") : number < 6 ? .offline : .response(404)
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    let empty = try ActivityFeed(.scripted(ScriptedTransport(.offline)), .memory())
    await #expect(throws: RequestError.notSent(.offline)) { try await empty.detail(1) }
    let date = try await feed.refresh().freshness.date
    let detail = try await feed.detail(1)
    #expect(detail.value.isArchived && detail.source == .cache && detail.date == date)
    await #expect(throws: RequestError.rejected(Rejection(status: 404))) { try await feed.detail(1) }
  }

  @Test("lists the newest call first, with the other party and a mark for missed calls")
  func order() async throws {
    func call(_ id: Int, _ date: String, _ direction: String, _ type: String) -> String {
      """
      {"id":\(id),"created_at":"\(date)","direction":"\(direction)","from":"Ada","to":"Bob","via":"NYC Office",
      "duration":"120","is_archived":false,"call_type":"\(type)"}
      """
    }
    let list = [
      call(3, "2018-04-18T16:59:48.000Z", "outbound", "answered"),
      call(1, "2018-04-19T09:38:41.000Z", "inbound", "missed"),
    ]
    let transport = ScriptedTransport(.response(200, "[\(list.joined(separator: ","))]"))
    let feed = try ActivityFeed(.scripted(transport), .memory())
    let calls = try await feed.refresh().activities
    #expect(calls.map(\.id) == [1, 3])
    #expect(calls.map(\.counterpart) == ["Ada", "Bob"])
    #expect(calls.map(\.caption) == ["on NYC Office", "made by Ada"])
    #expect(calls.map(\.isMissed) == [true, false])
  }

  @Test("archives all calls at once, and rolls back each one that the server refuses")
  func archiveAll() async throws {
    let transport = Self.transport { request, _ in
      let id = Int(request.url.lastPathComponent) ?? 0
      return id == 1 ? .response(404) : .response(200, Self.activity(id, archived: Self.archives(request)))
    }
    let feed = try ActivityFeed(.scripted(transport), .memory())
    try await feed.refresh()
    let failed = await feed.archiveAll()
    #expect(failed.map(\.id) == [1] && failed.first?.failure == .rejected(Rejection(status: 404)))
    let state = await feed.state
    #expect(state.archive.map(\.id) == [2] && state.inbox.map(\.id) == [1])
    #expect(state.items.allSatisfy { !$0.isChanging })
    #expect(await feed.archiveAll().map(\.id) == [1], "the rest is archived already")
    #expect(await transport.requests.filter { $0.method != "GET" }.count == 3)
  }

  @Test("shows the stored calls offline after a relaunch, and the reason for the failed refresh")
  func relaunchOffline() async throws {
    let store = MemoryFileStore()
    let first = try ActivityFeed(
      .scripted(Self.transport { _, _ in .response(200, Self.activity(1, archived: true)) }), .memory(store))
    try await first.refresh()
    try await first.setArchived(true, for: 1)
    let date = try #require(await first.state.freshness.date)
    let second = try ActivityFeed(.scripted(ScriptedTransport(.offline)), .memory(store.relaunched()))
    #expect(await second.state.archive.map(\.id) == [1])
    #expect(await second.state.freshness == .stored(date))
    await #expect(throws: RequestError.notSent(.offline)) { try await second.refresh() }
    let state = await second.state
    #expect(state.activities.map(\.id) == [2, 1] && state.failure == .notSent(.offline) && !state.isRefreshing)
  }
}
