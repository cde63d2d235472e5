import Foundation
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
      if request.url.path.hasSuffix("/reset") { return .reply(200, #"{"message":"done"}"#) }
      guard let id else { return .reply(200, "[\(activity(1, archived: false)),\(activity(2, archived: false))]") }
      return .reply(200, activity(id, archived: false))
    }
  }

  private static func archives(_ request: TransportRequest) -> Bool {
    String(decoding: request.body ?? Data(), as: UTF8.self).contains("true")
  }

  @Test("shows an archived call at once, and keeps it so when the server agrees")
  func archive() async throws {
    let gate = Gate()
    let feed = ActivityFeed(
      try .scripted(
        Self.transport { request, _ in
          await gate.pass()
          return .reply(200, Self.activity(1, archived: Self.archives(request)))
        }))
    try await feed.refresh()
    var updates = await feed.updates().makeAsyncIterator()
    #expect(await updates.next()?.map(\.isArchived) == [false, false])
    let write = Task { try await feed.setArchived(true, for: 1) }
    #expect(await updates.next()?.map(\.isArchived) == [true, false], "before the server has answered")
    #expect(await feed.archive.map(\.id) == [1])
    try await feed.refresh()
    #expect(await feed.archive.map(\.id) == [1], "an older list does not take it back")
    await gate.open()
    #expect(try await write.value.isArchived)
    #expect(await feed.inbox.map(\.id) == [2])
  }

  @Test("rolls back what the server rejects, what was not sent, and what reading again refutes")
  func rollBack() async throws {
    for answer in [ScriptedTransport.Answer.reply(404), .offline, .lost] {
      let feed = ActivityFeed(try .scripted(Self.transport { _, _ in answer }))
      try await feed.refresh()
      await #expect(throws: RequestError.self) { try await feed.setArchived(true, for: 1) }
      #expect(await feed.activities.map(\.isArchived) == [false, false])
    }
  }

  @Test("a lost reply is not rolled back when reading again shows that it was done")
  func lostReply() async throws {
    let transport = ScriptedTransport { request, _ in
      request.method == "GET" ? .reply(200, Self.activity(1, archived: true)) : .lost
    }
    let feed = ActivityFeed(try .scripted(transport))
    #expect(try await feed.setArchived(true, for: 1).isArchived)
  }

  @Test("of two intentions the later is shown and written last, even if the first fails")
  func twoIntentions() async throws {
    let gate = Gate()
    let arrived = Gate()
    let transport = Self.transport { request, _ in
      await arrived.open()
      await gate.pass()
      return Self.archives(request) ? .reply(404) : .reply(200, Self.activity(1, archived: false))
    }
    let feed = ActivityFeed(try .scripted(transport))
    try await feed.refresh()
    let first = Task { try await feed.setArchived(true, for: 1) }
    await arrived.pass()
    let second = Task { try await feed.setArchived(false, for: 1) }
    while await feed.archive.isEmpty == false { await Task.yield() }
    await gate.open()
    await #expect(throws: RequestError.self) { try await first.value }
    #expect(try await second.value.isArchived == false)
    let bodies = await transport.requests.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
    #expect(bodies == [#"{"is_archived":true}"#, #"{"is_archived":false}"#])
    #expect(await feed.inbox.count == 2)
  }

  @Test("asks for the list after a reset, and for single calls")
  func resetAndDetail() async throws {
    let transport = Self.transport { _, _ in .lost }
    let feed = ActivityFeed(try .scripted(transport))
    try await feed.reset()
    #expect(await feed.activities.count == 2)
    #expect(try await feed.detail(2).id == 2)
    #expect(await transport.requests.map(\.url.lastPathComponent) == ["reset", "activities", "2"])
  }
}
