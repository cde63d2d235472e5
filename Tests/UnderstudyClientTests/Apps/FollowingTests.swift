import Foundation
import LiveTesting
import Testing
import Understudy
import UnderstudyInMemory

@testable import UnderstudyClient

@Suite("A followed model")
struct FollowingTests {
  /// The models that are followed at an interval.
  private struct Model: Sendable {
    let follow: @Sendable () async -> Void
    let networkReturned: @Sendable () async -> Void
  }

  private static func models(_ client: BackendClient, every interval: Duration) -> [Model] {
    let feed = ActivityFeed(client, .memory())
    let house = HouseController(client, .memory())
    let chooser = UserChooser(client, .memory())
    let rooms = RoomBoard(client, .memory(), refreshInterval: interval, jitter: 0)
    return [
      Model {
        await feed.follow(every: interval)
      } networkReturned: {
        await feed.networkReturned()
      },
      Model {
        await house.follow(every: interval)
      } networkReturned: {
        await house.networkReturned()
      },
      Model {
        await chooser.follow(every: interval)
      } networkReturned: {
        await chooser.networkReturned()
      },
      Model {
        await rooms.follow()
      } networkReturned: {
        await rooms.networkReturned()
      },
    ]
  }

  /// The pause of a model, which never begins if the model does not sleep.
  private actor Pause {
    private(set) var hasBegun = false

    func begin() { hasBegun = true }
  }

  private func client(_ transport: any Transport, _ clock: VirtualClock) throws -> BackendClient {
    try BackendClient.scripted(transport) {
      $0.clock = ClientClock(clock)
      $0.policy.maximumAttempts = 1
    }
  }

  @Test("refreshes at its interval, and at once when the network is back", arguments: 0..<4)
  func refreshes(_ index: Int) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let model = Self.models(try client(transport, clock), every: .seconds(40))[index]
    let following = Task { await model.follow() }
    await clock.waitForSleepers()
    let first = await transport.requests.count
    #expect(first > 0)
    clock.advance(by: .seconds(45))
    await clock.waitForSleepers()
    let second = await transport.requests.count
    #expect(second > first)
    await model.networkReturned()
    #expect(await becomes { await transport.requests.count > second })
    following.cancel()
    await following.value
  }

  @Test("refreshes when the network is back without being followed", arguments: 0..<4)
  func unfollowed(_ index: Int) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock())
    await Self.models(try client(transport, clock), every: .seconds(40))[index].networkReturned()
    #expect(await transport.requests.count > 0)
  }

  @Test("pauses for at least a second, whatever its interval", arguments: 0..<4)
  func floor(_ index: Int) async throws {
    let (transport, clock) = (ScriptedTransport(.offline), VirtualClock(advancesBySleeping: false))
    let model = Self.models(try client(transport, clock), every: .zero)[index]
    let following = Task { await model.follow() }
    let pause = Pause()
    Task {
      await clock.waitForSleepers()
      await pause.begin()
    }
    let hasPaused = await becomes { await pause.hasBegun }
    if !hasPaused { following.cancel() }
    try #require(hasPaused)
    let count = await transport.requests.count
    clock.advance(by: .milliseconds(999))
    for _ in 0..<1_000 { await Task.yield() }
    #expect(await transport.requests.count == count)
    clock.advance(by: .milliseconds(1))
    #expect(await becomes { await transport.requests.count > count })
    following.cancel()
    await following.value
  }

  /// Returns true if a condition holds before patience ends.
  private func becomes(_ isSo: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + Patience.limit
    while await !isSo() {
      guard ContinuousClock.now < end else { return false }
      await Task.yield()
    }
    return true
  }
}

@Suite("A virtual clock")
struct VirtualClockTests {
  @Test("is advanced by its sleeps, which take no time")
  func sleeping() async throws {
    let clock = VirtualClock()
    let start = clock.now
    try await clock.sleep(for: .seconds(3_600))
    try await clock.sleep(until: start.advanced(by: .seconds(60)))
    #expect(start.duration(to: clock.now) == .seconds(3_600), "time does not run back")
    #expect(ClientClock(clock).elapsed() == .seconds(3_600))
    #expect(ClientClock(clock, from: Date(timeIntervalSince1970: 5)).date().timeIntervalSince1970 == 3_605)
  }

  @Test("advanced by hand, it ends the sleeps that are due, and no others")
  func byHand() async throws {
    let clock = VirtualClock(advancesBySleeping: false)
    let short = Task { try await clock.sleep(for: .seconds(1)) }
    let long = Task { try await clock.sleep(for: .seconds(10)) }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(1))
    try await short.value
    clock.advance(by: .milliseconds(8_999))
    long.cancel()
    await #expect(throws: CancellationError.self) { try await long.value }
    try await clock.sleep(until: clock.now)
  }
}
