import Foundation
import LiveTesting
import Testing
import Understudy
import UnderstudyInMemory

@testable import UnderstudyClient

@Suite("A followed model")
struct FollowingTests {
  private struct Model: Sendable {
    let wakeUps: WakeUps
    let follow: @Sendable () async -> Void
    let networkReturned: @Sendable () async -> Void
  }

  enum Kind: CaseIterable {
    case calls, house, users, rooms, devices
  }

  private static func model(_ kind: Kind, _ client: BackendClient, every interval: Duration) async -> Model {
    switch kind {
    case .calls:
      let feed = ActivityFeed(client, .memory())
      return await Model(wakeUps: feed.wakeUps) {
        await feed.follow(every: interval)
      } networkReturned: {
        await feed.networkReturned()
      }
    case .house:
      let house = HouseController(client, .memory())
      return await Model(wakeUps: house.wakeUps) {
        await house.follow(every: interval)
      } networkReturned: {
        await house.networkReturned()
      }
    case .users:
      let chooser = UserChooser(client, .memory())
      return await Model(wakeUps: chooser.wakeUps) {
        await chooser.follow(every: interval)
      } networkReturned: {
        await chooser.networkReturned()
      }
    case .rooms:
      let rooms = RoomBoard(client, .memory(), refreshInterval: interval, jitter: 0)
      return await Model(wakeUps: rooms.wakeUps) {
        await rooms.follow()
      } networkReturned: {
        await rooms.networkReturned()
      }
    case .devices:
      let devices = DeviceBoard(client, .memory())
      return await Model(wakeUps: devices.wakeUps) {
        await devices.follow(every: interval)
      } networkReturned: {
        await devices.networkReturned()
      }
    }
  }

  /// - Parameter pauses: Receives the pauses of the model, for which the clock is asked.
  private func client(
    _ transport: any Transport, _ clock: VirtualClock, _ pauses: Observed<[Duration]> = Observed([])
  ) throws -> BackendClient {
    try BackendClient.scripted(transport) {
      $0.clock = ClientClock(clock)
      $0.clock.sleep = { duration in
        pauses.withLock { $0.append(duration) }
        try await clock.sleep(for: duration)
      }
      $0.policy.maximumAttempts = 1
    }
  }

  @Test("refreshes at its interval, and at once when the network is back", arguments: Kind.allCases)
  func refreshes(_ kind: Kind) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let model = await Self.model(kind, try client(transport, clock), every: .seconds(40))
    let following = Task { await model.follow() }
    await clock.waitForSleepers()
    let first = await transport.requests.count
    #expect(first > 0)
    clock.advance(by: .seconds(45))
    await clock.waitForSleepers()
    let second = await transport.requests.count
    #expect(second > first)
    await model.networkReturned()
    #expect(await succeeds { await transport.requests.count > second })
    following.cancel()
    await following.value
  }

  @Test(
    "requests anew when the network is back while a request has no response", .timeLimit(.minutes(10)),
    arguments: Kind.allCases)
  func hung(_ kind: Kind) async throws {
    let transport = ScriptedTransport { _, _ in
      while !Task.isCancelled { await Task.yield() }
      return .failure(.lost(.cancelled))
    }
    let client = try client(transport, VirtualClock(advancesBySleeping: false))
    let model = await Self.model(kind, client, every: .seconds(40))
    let following = Task { await model.follow() }
    #expect(await succeeds { await !transport.requests.isEmpty })
    let count = await transport.requests.count
    await model.networkReturned()
    #expect(await succeeds { await transport.requests.count > count })
    following.cancel()
    await following.value
  }

  @Test("opens a stream anew when the network is back, because the old one may be dead", .timeLimit(.minutes(10)))
  func deadStream() async throws {
    /// Its streams are open and silent.
    actor Silent: Transport {
      private(set) var streamCount = 0
      private var streams: [AsyncThrowingStream<Data, any Error>.Continuation] = []

      func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
        throw .notSent(.offline)
      }

      func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
        let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        streams.append(continuation)
        streamCount += 1
        return TransportStream(status: 200, headers: ["Content-Type": "text/event-stream"], body: body)
      }
    }
    let silent = Silent()
    let board = RoomBoard(try client(silent, VirtualClock(advancesBySleeping: false)), .memory())
    let following = Task { await board.follow() }
    #expect(await succeeds { await silent.streamCount == 1 })
    await board.networkReturned()
    #expect(await succeeds { await silent.streamCount == 2 })
    #expect(await board.state.failure == nil)
    following.cancel()
    await following.value
  }

  @Test("a board of devices refreshes at its interval, not only once", .timeLimit(.minutes(10)))
  func devices() async throws {
    let (server, clock) = (DeviceServer(["A"]), VirtualClock(advancesBySleeping: false))
    let board = DeviceBoard(try client(server, clock), .memory())
    let following = Task { await board.follow(every: .seconds(30)) }
    await clock.waitForSleepers()
    let count = await server.reads
    clock.advance(by: .seconds(34))
    #expect(await succeeds { await server.reads > count })
    following.cancel()
    await following.value
  }

  @Test("refreshes when the network is back without being followed", arguments: Kind.allCases)
  func unfollowed(_ kind: Kind) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock())
    await Self.model(kind, try client(transport, clock), every: .seconds(40)).networkReturned()
    #expect(await transport.requests.count > 0)
  }

  /// The board of devices has pauses of its own after a failure.
  private static let withoutOwnPauses = Kind.allCases.filter { $0 != .devices }

  @Test("pauses for at least a second, whatever its interval", arguments: withoutOwnPauses)
  func floor(_ kind: Kind) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let pauses = Observed<[Duration]>([])
    let model = await Self.model(kind, try client(transport, clock, pauses), every: .zero)
    let following = Task { await model.follow() }
    #expect(await pauses.becomes { !$0.isEmpty })
    #expect(pauses.withLock { $0.first } == .seconds(1))
    following.cancel()
    await following.value
  }

  @Test(
    "requests no more for two that follow it than for one, and goes on when one of them leaves",
    .timeLimit(.minutes(10)), arguments: Kind.allCases)
  func followedTwice(_ kind: Kind) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let model = await Self.model(kind, try client(transport, clock), every: .seconds(40))
    let first = Task { await model.follow() }
    await clock.waitForSleepers()
    let count = await transport.requests.count
    let second = Task { await model.follow() }
    #expect(await succeeds { model.wakeUps.followerCount == 2 })
    for round in 2...6 {
      clock.advance(by: .seconds(600))
      await clock.waitForSleepers()
      #expect(await transport.requests.count == round * count)
    }
    first.cancel()
    await first.value
    #expect(await succeeds { await transport.requests.count > 6 * count })
    second.cancel()
    await second.value
  }

  @Test(
    "waits longer after each failure, also if a second one follows it", .timeLimit(.minutes(10)),
    arguments: [Kind.devices, .rooms])
  func growingWaits(_ kind: Kind) async throws {
    /// A device without a network, where streams fail as requests do.
    struct Offline: Transport {
      func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
        throw .notSent(.offline)
      }

      func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
        throw .notSent(.offline)
      }
    }
    let (clock, pauses) = (VirtualClock(advancesBySleeping: false), Observed<[Duration]>([]))
    let model = await Self.model(kind, try client(Offline(), clock, pauses), every: .seconds(40))
    let first = Task { await model.follow() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(600))
    await clock.waitForSleepers()
    let second = Task { await model.follow() }
    #expect(await succeeds { model.wakeUps.followerCount == 2 })
    clock.advance(by: .seconds(600))
    await clock.waitForSleepers()
    let waits = pauses.withLock { $0 }
    #expect(waits.count == 3 && zip(waits, waits.dropFirst()).allSatisfy { $0 < $1 }, "\(waits)")
    for task in [first, second] {
      task.cancel()
      await task.value
    }
  }

  @Test("waits no longer after each stream that brought rooms", .timeLimit(.minutes(10)))
  func steadyWaits() async throws {
    /// Each of its streams ends after one event.
    struct Brief: Transport {
      func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
        throw .notSent(.offline)
      }

      func open(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportStream {
        let (body, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(Data("event: rooms\ndata: {\"rooms\":[]}\n\n".utf8))
        continuation.finish()
        return TransportStream(status: 200, headers: ["Content-Type": "text/event-stream"], body: body)
      }
    }
    let (clock, pauses) = (VirtualClock(advancesBySleeping: false), Observed<[Duration]>([]))
    let model = await Self.model(.rooms, try client(Brief(), clock, pauses), every: .seconds(40))
    let following = Task { await model.follow() }
    for _ in 1...2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(600))
    }
    await clock.waitForSleepers()
    let waits = pauses.withLock { $0 }
    #expect(waits.count == 3 && Set(waits).count == 1, "\(waits)")
    following.cancel()
    await following.value
  }

  @Test("is requested at the shortest interval of those that follow it", .timeLimit(.minutes(10)))
  func shortestInterval() async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let feed = ActivityFeed(try client(transport, clock), .memory())
    let slow = Task { await feed.follow(every: .seconds(600)) }
    await clock.waitForSleepers()
    let fast = Task { await feed.follow(every: .seconds(10)) }
    #expect(await succeeds { await transport.requests.count == 2 })
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(12))
    #expect(await succeeds { await transport.requests.count == 3 })
    for task in [slow, fast] {
      task.cancel()
      await task.value
    }
  }
}
