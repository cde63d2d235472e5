import LiveTesting
import Platform
import Primitives
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
  /// Two connected sockets, closed when the test is over.
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

  @Test("both kinds report the same after any additions, changes and removals", arguments: 1...3 as ClosedRange<UInt64>)
  func sideBySide(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pollers = try PollerKind.allCases.map { kind throws(SystemError) in try kind.make() }
    let pairs = try (0..<20).map { _ in try Pair() }
    var tokens: [Int: UInt64] = [:]
    for step in 0..<400 {
      let index = Int.random(in: 0..<pairs.count, using: &random)
      let interest = Interest(rawValue: UInt8.random(in: 0...3, using: &random))
      let token = UInt64.random(in: 0...UInt64.max, using: &random)
      switch (Int.random(in: 0..<4, using: &random), tokens[index]) {
      case (0, .some):
        for poller in pollers { poller.remove(pairs[index].near) }
        tokens[index] = nil
      case (1, _): pairs[index].ring()
      case (_, .some):
        for poller in pollers { poller.change(pairs[index].near, token: token, to: interest) }
        tokens[index] = token
      case (_, nil):
        for poller in pollers { poller.add(pairs[index].near, token: token, interest) }
        tokens[index] = token
      }
      #expect(ready(pollers[0]) == ready(pollers[1]), "seed \(seed), step \(step)")
    }
  }

  @Test("a wait ends at its deadline, and never early", arguments: PollerKind.allCases)
  func waits(kind: PollerKind) throws {
    let poller = try kind.make()
    var found: [Readiness] = []
    for milliseconds in [0, 1, 20] as [Int64] {
      let began = SystemClock.tick()
      poller.wait(atMost: .milliseconds(milliseconds), into: &found)
      #expect(SystemClock.tick() - began >= .milliseconds(milliseconds))
      #expect(found.isEmpty)
    }
  }

  @Test("a job wakes the waiting poller, and a closed queue accepts none", arguments: PollerKind.allCases)
  func jobs(kind: PollerKind) throws {
    let poller = try kind.make()
    let jobs = try JobQueue<Int>()
    poller.add(jobs.descriptor, token: 9, .reading)
    #expect(ready(poller) == [])
    for job in 0..<1_000 { #expect(jobs.post(job)) }
    #expect(ready(poller) == [9])
    #expect(jobs.collect() == Array(0..<1_000))
    #expect(ready(poller) == [])
    jobs.post(5)
    #expect(jobs.close() == [5])
    #expect(!jobs.post(6))
    #expect(jobs.collect() == [])
  }

  @Test("paused listeners accept no connections until they are resumed", arguments: PollerKind.allCases)
  func listeners(kind: PollerKind) throws {
    let poller = try kind.make()
    let listeners = Listeners(poller)
    let port = try listeners.open(0, at: "127.0.0.1", for: Labels(api: 3), keepsReserve: false)
    let client = try WireConnection(port)
    #expect(listeners.pause() && !listeners.pause(), "it tells whether connections were accepted since")
    #expect(ready(poller) == [])
    listeners.resume()
    let token = try #require(ready(poller).first)
    let index = try #require(Listeners.index(of: token))
    switch listeners.accept(at: index) {
    case .connection(_, let peer, let labels):
      #expect(peer == "127.0.0.1")
      #expect(labels == Labels(api: 3))
    case .none: Issue.record("no connection is pending")
    case .exhausted: Issue.record("the process has no descriptor for the connection")
    }
    client.hangUp()
    listeners.close(port: port)
    #expect(listeners.indices == 0..<1)
    guard case .none = listeners.accept(at: index) else { throw SystemError("a closed listener") }
    guard case .none = listeners.accept(at: 17) else { throw SystemError("a listener that never was") }
  }
}
