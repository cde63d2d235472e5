import LiveTesting
import Testing

@testable import Understudy

#if canImport(Glibc)
  import CEpoll
  import Glibc
#else
  import Darwin
#endif

@Suite("Pollers", .live)
struct PollerTests {
  /// Two ends that are connected to each other, closed when the test is over.
  private final class Pair {
    let near: Int32
    let far: Int32

    init() throws {
      var ends: [Int32] = [-1, -1]
      #if canImport(Glibc)
        let status = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      #else
        let status = unsafe socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
      #endif
      guard status == 0 else { throw SystemError("socketpair") }
      near = ends[0]
      far = ends[1]
    }

    func ring() {
      var byte: UInt8 = 1
      _ = unsafe write(far, &byte, 1)
    }

    func hush() {
      var byte: UInt8 = 0
      _ = unsafe read(near, &byte, 1)
    }

    func hangUp() { _ = shutdown(far, Int32(2)) }

    deinit {
      _ = close(near)
      _ = close(far)
    }
  }

  private func ready(_ poller: any Poller) -> [UInt64] {
    var ready: [Readiness] = []
    poller.wait(atMost: .zero, into: &ready)
    return ready.map(\.token).sorted()
  }

  @Test("a ready descriptor is reported until it is handled", arguments: PollerKind.allCases)
  func levels(kind: PollerKind) throws {
    let poller = try kind.make()
    let pair = try Pair()
    poller.add(pair.near, token: 7, .reading)
    #expect(ready(poller) == [])
    pair.ring()
    #expect(ready(poller) == [7])
    #expect(ready(poller) == [7])
    pair.hush()
    #expect(ready(poller) == [])
  }

  @Test("only requested events are reported, but a hang-up always is", arguments: PollerKind.allCases)
  func interests(kind: PollerKind) throws {
    let poller = try kind.make()
    let pair = try Pair()
    poller.add(pair.near, token: 1, [])
    pair.ring()
    #expect(ready(poller) == [])
    poller.change(pair.near, token: 2, to: .writing)
    var found: [Readiness] = []
    poller.wait(atMost: .zero, into: &found)
    #expect(found.map(\.token) == [2])
    #expect(found.map(\.canWrite) == [true])
    #expect(found.map(\.canRead) == [false])
    poller.change(pair.near, token: 3, to: [.reading, .writing])
    poller.wait(atMost: .zero, into: &found)
    #expect(found.map(\.canRead) == [true])
    poller.change(pair.near, token: 4, to: [])
    pair.hangUp()
    poller.wait(atMost: .zero, into: &found)
    #expect(found.map(\.isBroken) == [true])
    #expect(found.map(\.canRead) == [false])
    poller.remove(pair.near)
    #expect(ready(poller) == [])
  }

  @Test("both report the same after any additions, changes and removals", arguments: 1...3 as ClosedRange<UInt64>)
  func sideBySide(seed: UInt64) throws {
    var random = WireRandom(seed: seed)
    let pollers = try PollerKind.allCases.map { kind throws(SystemError) in try kind.make() }
    let pairs = try (0..<20).map { _ in try Pair() }
    var tokens: [Int: UInt64] = [:]
    for step in 0..<400 {
      let place = Int.random(in: 0..<pairs.count, using: &random)
      let interest = Interest(rawValue: UInt8.random(in: 0...3, using: &random))
      let token = UInt64.random(in: 0...UInt64.max, using: &random)
      switch (Int.random(in: 0..<4, using: &random), tokens[place]) {
      case (0, .some):
        for poller in pollers { poller.remove(pairs[place].near) }
        tokens[place] = nil
      case (1, _): pairs[place].ring()
      case (_, .some):
        for poller in pollers { poller.change(pairs[place].near, token: token, to: interest) }
        tokens[place] = token
      case (_, nil):
        for poller in pollers { poller.add(pairs[place].near, token: token, interest) }
        tokens[place] = token
      }
      #expect(ready(pollers[0]) == ready(pollers[1]), "seed \(seed), step \(step)")
    }
  }

  @Test("a wait ends in time, and never early", arguments: PollerKind.allCases)
  func waits(kind: PollerKind) throws {
    let poller = try kind.make()
    var found: [Readiness] = []
    for milliseconds in [0, 1, 20] {
      let began = SystemClock.tick()
      poller.wait(atMost: .milliseconds(milliseconds), into: &found)
      #expect(SystemClock.tick() - began >= .milliseconds(milliseconds))
      #expect(found.isEmpty)
    }
  }

  @Test("a job wakes the waiting poller, and a closed queue accepts none", arguments: PollerKind.allCases)
  func mailbox(kind: PollerKind) throws {
    let poller = try kind.make()
    let mailbox = try Mailbox<Int>()
    poller.add(mailbox.descriptor, token: 9, .reading)
    #expect(ready(poller) == [])
    for letter in 0..<1_000 { #expect(mailbox.post(letter)) }
    #expect(ready(poller) == [9])
    #expect(mailbox.collect() == Array(0..<1_000))
    #expect(ready(poller) == [])
    mailbox.post(5)
    #expect(mailbox.close() == [5])
    #expect(!mailbox.post(6))
    #expect(mailbox.collect() == [])
  }

  @Test("paused listeners accept no connections until they are resumed", arguments: PollerKind.allCases)
  func doors(kind: PollerKind) throws {
    let poller = try kind.make()
    let listener = try #require(try Listener.all(host: "127.0.0.1", port: 0).first)
    var doors = Doors()
    doors.add(listener, Labels(api: 3), poller)
    let client = try WireConnection(listener.port)
    doors.pause(poller)
    #expect(ready(poller) == [])
    doors.resume(poller)
    let token = try #require(ready(poller).first)
    let place = try #require(Doors.place(of: token))
    switch doors.accept(at: place) {
    case .connection(_, let peer, let labels):
      #expect(peer == "127.0.0.1")
      #expect(labels == Labels(api: 3))
    case .none: Issue.record("nobody waits")
    case .exhausted: Issue.record("nobody came in")
    }
    client.hangUp()
    doors.close(port: listener.port, poller)
    #expect(doors.places == 0..<1)
    guard case .none = doors.accept(at: place) else { throw SystemError("a closed door") }
    guard case .none = doors.accept(at: 17) else { throw SystemError("a door that never was") }
  }
}
