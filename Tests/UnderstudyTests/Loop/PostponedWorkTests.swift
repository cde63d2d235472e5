import Primitives
import Testing

@testable import Understudy

/// The long responses are of `/openapi.yaml`, which has 400 KB and is rendered off the loop. Time passes only where a test
/// lets it.
@Suite("Long responses to peers that do not read them")
struct PostponedWorkTests {
  private static let document = wire("GET", "/openapi.yaml")

  private let virtual: VirtualLoop

  init() throws {
    virtual = try VirtualLoop(#"{"match":{"path":"/devices"},"effect":{"pace":{"bytesPerSecond":1000}}}"#)
    virtual.loop.connections.maximumUnsentBytes = 8 << 20
  }

  /// Connects clients that read nothing, and request more documents than the kernel stores for them.
  private func silentClients(_ count: Int) throws -> [WireConnection] {
    try (0..<count).map { _ in
      let client = try WireConnection(virtual.port, receiveBuffer: 4 << 10)
      try client.send(String(repeating: Self.document, count: 40))
      return client
    }
  }

  /// Runs turns of the loop until a condition is met; returns false if it never is.
  private func turn(until isSo: () -> Bool) -> Bool {
    for _ in 0..<20_000 {
      if isSo() { return true }
      virtual.turn()
    }
    return isSo()
  }

  /// Runs turns of the loop until a condition is met while the kernel takes no further bytes; returns false if it never is.
  ///
  /// A kernel enlarges what it stores for a peer as it goes, so that bytes which had no room may have some a moment later.
  private func settle(_ isSo: () -> Bool) -> Bool {
    var quietTurns = 0
    for _ in 0..<20_000 {
      quietTurns = virtual.turn() == nil ? 0 : quietTurns + 1
      if quietTurns >= 10, isSo() { return true }
    }
    return false
  }

  /// Counts those of some connections that are still open, whichever others were opened since.
  private func openCount(of entries: [ConnectionSet.Member]) -> Int {
    entries.count { member in virtual.connections.contains { $0 === member } }
  }

  /// True if each connection has unsent output, or waits for room.
  private var isStill: Bool {
    virtual.loop.work.runningCount == 0
      && virtual.connections.allSatisfy { member in
        member.unsentBytes > 0 || virtual.loop.work.waiting.contains { $0.waiter.member === member }
      }
  }

  @Test("the work for further responses of the control API waits while the unread ones take half of the limit")
  func isBounded() throws {
    let silent = try silentClients(24)
    var most = 0
    let isWaiting = settle {
      most = max(most, virtual.loop.connections.unsentBytes)
      return virtual.connections.count == silent.count && isStill
    }
    #expect(isWaiting)
    #expect(most > 4 << 20 && most <= 8 << 20)
    #expect(virtual.loop.work.waiting.count >= 8)
  }

  @Test("while work waits, the peers that accept nothing are reset, and a client that reads gets its response")
  func resetsStalledPeers() throws {
    let silent = try silentClients(20)
    #expect(settle { virtual.connections.count == silent.count && isStill })
    let silentEntries = virtual.connections
    let client = try WireConnection(virtual.port)
    try client.send(Self.document)
    let isWaiting = turn {
      virtual.loop.work.waiting.contains { waiting in !silentEntries.contains { $0 === waiting.waiter.member } }
    }
    #expect(isWaiting)
    // Each reset may let another silent client's work begin, which waits longer.
    for _ in silent where client.available().isEmpty {
      virtual.pass(.seconds(2))
      #expect(settle { isStill || !client.available().isEmpty })
    }
    #expect(!client.available().isEmpty)
    #expect(openCount(of: silentEntries) < silent.count)
    #expect(try virtual.response(to: client).status == 200)
  }

  @Test("above the limit of all output, the peer that has accepted nothing for the longest time is reset first")
  func resetsLongestStalled() throws {
    let late = try WireConnection(virtual.port, receiveBuffer: 4 << 10)
    #expect(turn { virtual.connections.count == 1 })
    let early = try silentClients(1)
    #expect(turn { virtual.connections.contains { $0.blockedSince != nil } && virtual.loop.work.runningCount == 0 })
    let longestStalled = virtual.connections.filter { $0.blockedSince != nil }
    virtual.pass(.seconds(1))
    try late.send(String(repeating: Self.document, count: 40))
    #expect(turn { virtual.connections.allSatisfy { $0.blockedSince != nil } && isStill })
    virtual.loop.connections.maximumUnsentBytes = virtual.loop.connections.unsentBytes - 1
    virtual.turn()
    #expect(virtual.connections.count == early.count && openCount(of: longestStalled) == 0)
  }

  @Test("a peer that has accepted bytes since another one stalled is reset after it, though it had stalled before")
  func resetsAccordingToLastBytes() throws {
    let reader = try WireConnection(virtual.port, receiveBuffer: 128 << 10)
    try reader.send(String(repeating: Self.document, count: 40))
    #expect(settle { virtual.connections.count == 1 && isStill })
    let readerEntries = virtual.connections
    virtual.pass(.seconds(1))
    let silent = try silentClients(1)
    #expect(settle { virtual.connections.count == 2 && isStill })
    virtual.pass(.seconds(1))
    // More than a kernel stores for a peer, so that some of these bytes are sent only now.
    #expect(turn { reader.available().count >= 6 << 20 })
    #expect(settle { isStill })
    virtual.loop.connections.maximumUnsentBytes = virtual.loop.connections.unsentBytes - 1
    virtual.turn()
    #expect(virtual.connections.count == silent.count && openCount(of: readerEntries) == 1)
  }

  @Test("peers that accept nothing are left alone while no work waits")
  func leavesPeersAlone() throws {
    let silent = try silentClients(2)
    #expect(settle { virtual.connections.count == silent.count && isStill })
    let end = virtual.now + .seconds(5)
    #expect(virtual.turn { virtual.now >= end })
    #expect(virtual.connections.count == silent.count)
  }

  @Test("a response that was not offered to its peer yet is not cut off to make room")
  func spareUnsentResponses() throws {
    let silent = try silentClients(20)
    #expect(settle { virtual.connections.count == silent.count && isStill && !virtual.loop.work.waiting.isEmpty })
    let silentEntries = virtual.connections
    let client = try WireConnection(virtual.port)
    let body = #"{"name":"Ljerka"}"#
    try client.send(
      "POST /book HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n")
    for _ in 0..<4 { virtual.turn() }
    // The turn that reads the body also makes room for the work that waits.
    virtual.pass(.seconds(2))
    try client.send(body)
    #expect(try virtual.response(to: client).status == 200)
    // One reset may be enough, and the answered connection may wait for its peer to close: only these are counted.
    #expect(openCount(of: silentEntries) < silent.count)
  }

  @Test("peers that accept nothing are left alone while work waits for other work, and not for their bytes")
  func leavesPeersAloneBelowTheLimit() throws {
    let silent = try silentClients(1)
    #expect(turn { virtual.connections.count == 1 && isStill })
    virtual.loop.work.runningCount = EventLoop.maximumConcurrentJobs
    let client = try WireConnection(virtual.port)
    try client.send(Self.document)
    #expect(turn { virtual.loop.work.waiting.count == 1 })
    for _ in 0..<6 {
      virtual.pass(.milliseconds(500))
      virtual.turn()
    }
    #expect(virtual.connections.count == silent.count + 1)
    virtual.loop.work.runningCount = 0
    #expect(try virtual.response(to: client).status == 200)
  }

  @Test("work does not wait for responses that a plan holds")
  func plannedResponses() throws {
    try makeDevicesLong()
    let slow = try (0..<3).map { _ in try WireConnection(virtual.port) }
    for client in slow { try client.send(wire("GET", "/devices")) }
    #expect(turn { virtual.connections.count { $0.unsentBytes > 0 } == slow.count })
    virtual.loop.connections.maximumUnsentBytes = virtual.loop.connections.unsentBytes + (1 << 20)
    let client = try WireConnection(virtual.port)
    try client.send(Self.document)
    #expect(try virtual.response(to: client).status == 200)
    let isPaced = virtual.connections.count { $0.unsentBytes > 0 } == slow.count
    #expect(isPaced, "no response of a plan was cut off")
  }

  @Test("responses that the network switch holds count once if they share their body")
  func sharedBodies() throws {
    try makeDevicesLong()
    #expect(try virtual.ask(wire("PATCH", "/_mock/network", body: #"{"state":"held"}"#)).status == 200)
    var (counts, waiting): ([Int], [WireConnection]) = ([], [])
    for number in 1...3 {
      let client = try WireConnection(virtual.port)
      try client.send(wire("GET", "/devices"))
      #expect(turn { virtual.connections.count { $0.body != nil } == number })
      counts.append(virtual.loop.connections.unsentBytes)
      waiting.append(client)
    }
    #expect(counts[0] > 400_000 && Set(counts).count == 1, "\(counts)")
    for client in waiting { client.reset() }
    #expect(virtual.turn { virtual.connections.isEmpty })
    #expect(virtual.loop.connections.unsentBytes == 0)
  }

  /// Gives the list of devices more bytes than a kernel stores for a peer.
  private func makeDevicesLong() throws {
    let devices = (0..<4_000).map { number in
      "{\"id\":\"D-\(number)\",\"type\":\"heating\",\"meterPointDescription\":\"\(String(repeating: "a", count: 99))\","
        + "\"installationDate\":null}"
    }
    let filled = try virtual.ask(
      wire("PATCH", "/_mock/state", body: "{\"devices\":[\(devices.joined(separator: ","))]}"))
    #expect(filled.status == 200)
  }

  @Test("a page of the journal does not wait for jobs")
  func pages() throws {
    virtual.loop.work.runningCount = EventLoop.maximumConcurrentJobs
    let client = try WireConnection(virtual.port)
    try client.send(wire("GET", "/_mock/journal"))
    #expect(turn { virtual.loop.work.waiting.count == 1 })
    #expect(try virtual.ask(wire("GET", "/_mock/journal?limit=100")).status == 200)
    #expect(client.available().isEmpty)
    virtual.loop.work.runningCount = 0
    #expect(try virtual.response(to: client).status == 200)
  }

  @Test("equal renderings that are wanted at the same time are made once, and others are not mixed up with them")
  func shared() throws {
    virtual.loop.work.runningCount = EventLoop.maximumConcurrentJobs
    let equal = try virtual.clients(5, sending: wire("GET", "/_mock/state"))
    let journal = try virtual.clients(1, sending: wire("GET", "/_mock/journal"))
    #expect(turn { virtual.loop.work.waiting.count == 6 })
    virtual.loop.work.runningCount = 0
    virtual.loop.beginWaitingJobs()
    #expect(virtual.loop.work.waiting.isEmpty && virtual.loop.work.runningCount == 2)
    #expect(virtual.loop.work.sharing.values.map(\.count).sorted() == [0, 4])
    for client in equal { #expect(try virtual.response(to: client).text.contains("temperature")) }
    #expect(try virtual.response(to: journal[0]).text.hasPrefix("{\"entries\""))
  }

  @Test("a client that disconnects while its work waits leaves nothing behind")
  func disconnects() throws {
    let silent = try silentClients(20)
    #expect(settle { virtual.connections.count == silent.count && isStill && !virtual.loop.work.waiting.isEmpty })
    for client in silent { client.reset() }
    let isFree = virtual.turn {
      virtual.loop.work.waiting.isEmpty && virtual.connections.isEmpty && virtual.loop.work.runningCount == 0
    }
    #expect(isFree)
    #expect(virtual.loop.connections.unsentBytes == 0)
  }
}
