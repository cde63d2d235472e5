import Contract
import Primitives
import Testing

@testable import Understudy

@Suite("Channels of the loop")
struct ChannelTests {
  /// A poller that counts calls, and reports nothing.
  private final class CountingPoller: Poller {
    private(set) var interests: [Interest] = []
    func add(_ descriptor: Int32, token: UInt64, _ interest: Interest) {}
    func change(_ descriptor: Int32, token: UInt64, to interest: Interest) { interests.append(interest) }
    func remove(_ descriptor: Int32) {}
    func wait(atMost timeout: NanosecondDuration?, into ready: inout [Readiness]) {}
  }

  /// A channel that counts the expirations of its deadline.
  private final class CountingChannel: Channel {
    let descriptor: Int32
    private(set) var expirationCount = 0
    init(descriptor: Int32 = 3) { self.descriptor = descriptor }
    func handle(_ readiness: Readiness, at now: ClockReading) {}
    func expire(at now: ClockReading) { expirationCount += 1 }
    func close() {}
  }

  private let poller = CountingPoller()
  private let channels: Channels

  init() { channels = Channels(poller) }

  private func time(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

  private func expire(atMost count: Int = 64, at seconds: Int64) {
    channels.expire(atMost: count, at: ClockReading(tick: time(seconds), real: Instant(seconds: seconds)))
  }

  @Test("a deadline that moves with each event has one timer, and passes once, at its last value")
  func movingDeadline() {
    let channel = CountingChannel()
    let token = channels.add(channel, .writing)
    for event in 0..<1_000 as Range<Int64> { channels.setTimer(token, at: time(60 + event)) }
    #expect(channels.timerCount == 1)
    expire(at: 60)
    #expect(channel.expirationCount == 0 && channels.nextTimer == time(1_059))
    expire(at: 1_059)
    expire(at: 2_000)
    #expect(channel.expirationCount == 1 && channels.nextTimer == nil)
  }

  @Test("a deadline that moves forward passes in time, and one that is taken back does not pass")
  func nearerDeadline() {
    let (near, none) = (CountingChannel(), CountingChannel())
    let (first, second) = (channels.add(near, .writing), channels.add(none, .writing))
    for token in [first, second] { channels.setTimer(token, at: time(60)) }
    channels.setTimer(first, at: time(10))
    channels.setTimer(second, at: nil)
    #expect(channels.nextTimer == time(10))
    expire(at: 10)
    expire(at: 60)
    #expect(near.expirationCount == 1 && none.expirationCount == 0)
  }

  @Test("the deadline of a removed channel is not that of the next one in its slot, which has its own")
  func removed() {
    let (old, new) = (CountingChannel(), CountingChannel())
    let token = channels.add(old, .writing)
    channels.setTimer(token, at: time(10))
    channels.remove(token)
    channels.setTimer(channels.add(new, .writing), at: time(20))
    expire(at: 10)
    #expect(old.expirationCount == 0 && new.expirationCount == 0)
    expire(at: 20)
    #expect(new.expirationCount == 1)
  }

  @Test("timers of channels that have gone count against the timers that one turn examines")
  func obsoleteTimers() {
    for _ in 0..<10 {
      let tokens = (0..<10).map { _ in channels.add(CountingChannel(), .writing) }
      for token in tokens { channels.setTimer(token, at: time(10)) }
      for token in tokens { channels.remove(token) }
    }
    #expect(channels.timerCount == 10, "one for each slot")
    expire(atMost: 4, at: 10)
    #expect(channels.timerCount == 6)
  }

  @Test("the poller is called only if the events to report change")
  func unchangedInterest() {
    let token = channels.add(CountingChannel(), .writing)
    for interest in [.writing, .writing, .reading, .reading, .writing] as [Interest] {
      channels.change(token, to: interest)
    }
    #expect(poller.interests == [.reading, .writing])
  }
}
