import Contract
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

@Suite("A sandbox's clock and its stored responses")
struct SandboxMemoryTests {
  private func at(_ seconds: Int64) -> Instant { Instant(seconds: seconds) }

  @Test("a clock follows the machine's clock until it is frozen or advanced")
  func clock() {
    var clock = SandboxClock()
    #expect(clock.now(at: at(10)) == at(10))
    clock.advance(by: .seconds(5))
    #expect(clock.now(at: at(11)) == at(16))
    clock.freeze(at: at(12))
    #expect(clock.isFrozen)
    #expect(clock.now(at: at(50)) == at(17))
    clock.freeze(at: at(60))
    #expect(clock.now(at: at(61)) == at(17), "freezing twice changes nothing")
    clock.advance(by: .seconds(3))
    #expect(clock.now(at: at(70)) == at(20), "a frozen clock can be advanced")
    clock.thaw(at: at(100))
    #expect(!clock.isFrozen)
    #expect(clock.now(at: at(100)) == at(20), "it continues from the frozen time")
    #expect(clock.now(at: at(101)) == at(21))
    clock.thaw(at: at(200))
    #expect(clock.now(at: at(200)) == at(120), "unfreezing a running clock changes nothing")
  }

  @Test("a clock cannot be advanced beyond the largest instant")
  func endOfTime() {
    var clock = SandboxClock()
    for _ in 0..<4 { clock.advance(by: .seconds(Int64.max / 4)) }
    #expect(clock.now(at: at(0)) == Instant(nanoseconds: .max))
    clock.freeze(at: at(0))
    clock.advance(by: .seconds(1))
    clock.thaw(at: at(0))
    #expect(clock.now(at: at(9)) == Instant(nanoseconds: .max))
  }

  private func key(_ text: String, path: String = "/book", method: String = "POST") -> Idempotency.Key {
    Idempotency.Key(method: method, path: path, text: text)
  }

  private func status(_ lookup: Idempotency.Lookup) -> Int {
    switch lookup {
    case .fresh: 0
    case .replay(let response): response.status
    case .mismatched: 422
    case .inFlight: 409
    }
  }

  @Test("a stored response is found by method, path, key and body together")
  func responses() {
    var memory = Idempotency()
    memory.store(Response(200, changed: true), for: key("a"), body: [1])
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 1)) == 200)
    #expect(status(memory.lookup(for: key("a"), body: [2], id: 1)) == 422)
    #expect(status(memory.lookup(for: key("b"), body: [1], id: 1)) == 0)
    #expect(status(memory.lookup(for: key("a", path: "/users"), body: [1], id: 1)) == 0)
    #expect(status(memory.lookup(for: key("a", method: "PUT"), body: [1], id: 1)) == 0)
    if case .replay(let response) = memory.lookup(for: key("a"), body: [1], id: 1) {
      #expect(!response.changed, "a replay changes nothing")
    } else {
      Issue.record("the stored response is not found")
    }
    memory.store(Response(503), for: key("c"), body: [])
    #expect(status(memory.lookup(for: key("c"), body: [], id: 1)) == 0, "a 5xx response is not stored")
    memory.store(Response(201), for: key("a"), body: [1])
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 1)) == 200, "the first response stays")
  }

  @Test("a key is in flight until the first request with it is applied or ends")
  func inFlight() {
    var memory = Idempotency()
    memory.wait(3, for: key("a"), body: [1])
    memory.wait(5, for: key("a"), body: [1])
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 3)) == 0, "the first request does not block itself")
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 5)) == 409)
    #expect(status(memory.lookup(for: key("a"), body: [2], id: 6)) == 422)
    #expect(status(memory.lookup(for: key("b"), body: [1], id: 6)) == 0)
    memory.release(3, for: key("a"))
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 5)) == 0)
    memory.store(Response(200), for: key("a"), body: [1])
    #expect(status(memory.lookup(for: key("a"), body: [1], id: 6)) == 200)
    memory.release(5, for: key("a"))
    memory.release(5, for: key("a"))
  }

  @Test("the oldest responses are evicted when there are too many")
  func capacity() {
    var memory = Idempotency()
    let count = Idempotency.capacity + 100
    for number in 0..<count { memory.store(Response(200), for: key("\(number)"), body: []) }
    for number in 0..<count {
      #expect(status(memory.lookup(for: key("\(number)"), body: [], id: 1)) == (number < 100 ? 0 : 200), "\(number)")
    }
    for number in 0..<count { memory.store(Response(201), for: key("again \(number)"), body: []) }
    #expect(status(memory.lookup(for: key("\(count - 1)"), body: [], id: 1)) == 0)
    #expect(status(memory.lookup(for: key("again \(count - 1)"), body: [], id: 1)) == 201)
  }
}

extension Idempotency {
  private static func content(_ body: ArraySlice<UInt8>) -> KeyedContent {
    KeyedContent(body: body, type: nil, coding: nil)
  }

  fileprivate func lookup(for key: Key, body: ArraySlice<UInt8>, id: Int) -> Lookup {
    lookup(for: key, content: Self.content(body), id: id) { Self.content(body).digest }
  }

  fileprivate mutating func store(_ response: Response, for key: Key, body: ArraySlice<UInt8>) {
    store(response, for: key, content: Self.content(body).digest)
  }

  fileprivate mutating func wait(_ id: Int, for key: Key, body: ArraySlice<UInt8>) {
    wait(id, for: key, content: Self.content(body))
  }
}
