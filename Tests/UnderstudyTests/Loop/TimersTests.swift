import HTTP1
import LiveTesting
import Platform
import Services
import Testing

@testable import Primitives
@testable import Understudy

@Suite("Timers")
struct TimersTests {
  @Test(
    "timers are removed in the order of their deadlines, whatever the order in which they were added",
    arguments: 1...4 as ClosedRange<UInt64>)
  func sortedModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var timers = Timers()
    var model: [Int64] = []
    for step in 0..<WholeProof.rounds(1_000, of: 5_000) {
      if Int.random(in: 0..<5, using: &random) < 3 {
        let deadline = Int64.random(in: 0..<1_000, using: &random)
        timers.add(MonotonicInstant(nanoseconds: deadline), token: UInt64(deadline))
        model.append(deadline)
        model.sort()
      } else {
        let now = Int64.random(in: 0..<1_000, using: &random)
        let due = timers.popDue(at: MonotonicInstant(nanoseconds: now))
        let expected = model.first.flatMap { $0 <= now ? $0 : nil }
        #expect(due?.deadline.nanoseconds == expected, "seed \(seed), step \(step)")
        #expect(due?.token == expected.map(UInt64.init))
        if expected != nil { model.removeFirst() }
      }
      #expect(timers.next?.nanoseconds == model.first)
      #expect(timers.count == model.count)
    }
  }

  @Test("a slot is examined at its nearest deadline only, and can be scheduled again after that")
  func nearest() {
    var timers = SlotTimers()
    var counts: [Int] = []
    for deadline in [75, 75, 80, 20] as [Int64] {
      timers.schedule(3, at: MonotonicInstant(nanoseconds: deadline))
      counts.append(timers.count)
    }
    #expect(counts == [1, 1, 1, 2], "the timer at 75 precedes 80, but is too late for 20")
    let end = MonotonicInstant(nanoseconds: 75)
    #expect(timers.next?.nanoseconds == 20)
    #expect(timers.popDue(at: end) == SlotTimers.Fired(slot: 3, isReplaced: false))
    #expect(timers.popDue(at: end) == SlotTimers.Fired(slot: 3, isReplaced: true))
    timers.schedule(3, at: MonotonicInstant(nanoseconds: 80))
    #expect(timers.next?.nanoseconds == 80)
  }
}

@Suite("The table of connections")
struct ConnectionSetTests {
  private func entry(_ token: UInt64) throws -> ConnectionSet.Member {
    let application = Application(seeds: try SeedData.embedded())
    let connection = Connection(
      peer: "?", port: Labels(), application: application, timeouts: Timeouts(), at: application.now)
    return ConnectionSet.Member(socket: Socket(adopting: -1), connection: connection, token: token)
  }

  @Test("the token of a closed connection does not find the next one in its slot")
  func generations() throws {
    var table = ConnectionSet()
    var known: Set<UInt64> = []
    for _ in 0..<10 {
      let token = table.reserve()
      #expect(known.insert(token).inserted)
      #expect(Listeners.index(of: token) == nil)
      table.insert(try entry(token))
      #expect(table[token]?.token == token)
      #expect(table.occupant(of: ConnectionSet.slot(token))?.token == token)
      for old in known where old != token { #expect(table[old] == nil) }
      table.remove(token)
      #expect(table[token] == nil)
      #expect(table.count == 0)
    }
  }

  @Test("connections that are open at the same time have different tokens")
  func together() throws {
    var table = ConnectionSet()
    var tokens: [UInt64] = []
    for _ in 0..<100 {
      tokens.append(table.reserve())
      table.insert(try entry(tokens[tokens.count - 1]))
    }
    #expect(Set(tokens).count == 100)
    #expect(table.count == 100)
    for token in tokens where token % 2 == 0 { table.remove(token) }
    #expect(Set(table.all.map(\.token)) == Set(tokens.filter { $0 % 2 == 1 }))
    #expect(table[UInt64(5_000)] == nil, "a slot that was never used")
  }
}
