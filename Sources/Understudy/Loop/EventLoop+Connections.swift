import Contract
import HTTP1
import Platform
import Primitives
import Services

extension EventLoop {
  /// Accepts pending connections at a listener, up to a limit so that established connections are served. Returns true
  /// if more may be pending.
  @discardableResult
  mutating func accept(at index: Int) -> Bool {
    for _ in 0..<64 {
      switch listeners.accept(at: index) {
      case .connection(let socket, let peer, let labels): admit(socket, peer, labels)
      case .none: return false
      case .exhausted:
        // Established connections are still served; new ones wait in the kernel's queue until a descriptor is free.
        if listeners.pause() {
          application.state.notify(
            "understudy: all descriptors are in use, so new connections wait: close connections, or raise the limit "
              + "(ulimit -n)")
        }
        return false
      }
    }
    return true
  }

  /// Accepts every pending connection before the listeners are closed; otherwise the kernel would reset them.
  mutating func acceptPending() {
    for index in listeners.indices { while accept(at: index) {} }
  }

  private mutating func admit(_ socket: consuming Socket, _ peer: String, _ labels: Labels) {
    guard !application.refuses(labels) else { return socket.resetOnClose() }
    let connection = Connection(peer: peer, port: labels, application: application, timeouts: timeouts, at: now)
    let member = ConnectionSet.Member(socket: socket, connection: connection, token: connections.reserve())
    connections.insert(member)
    services.connectionCount = connections.count
    poller.add(member.socket.descriptor, token: member.token, .reading)
    schedule(member, wakeUp: nil, timeout: member.connection.http.timeout)
  }

  /// Sends the collected output, once for each connection.
  mutating func flush() {
    if !connections.dirty.isEmpty { sendDirty() }
    if connections.unsentBytes > connections.maximumUnsentBytes { boundOutput() }
    if connections.requestBytes > connections.maximumRequestBytes { boundRequests() }
  }

  private mutating func sendDirty() {
    // The first one last, because taking an array's last element is the cheapest.
    if connections.dirty.count > 1 { connections.dirty.reverse() }
    while let member = connections.dirty.popLast() {
      member.isDirty = false
      send(member)
    }
  }

  /// Counts what channels store for responses with the unsent bytes.
  mutating func countChannelBytes() {
    connections.unsentBytes += channels.storedBytes - connections.channelBytes
    connections.channelBytes = channels.storedBytes
  }

  /// Resets the connections whose peers have accepted nothing for the longest time, and then those with the longest
  /// responses, until all are within the limit.
  private mutating func boundOutput() {
    let holding = connections.all.map { ($0, since: $0.blockedSince ?? .distantFuture, bytes: responseBytes(of: $0)) }
      .filter { $0.bytes > 0 }
    for (member, _, bytes) in holding.sorted(by: { ($0.since, $1.bytes) < ($1.since, $0.bytes) }) {
      guard connections.unsentBytes > connections.maximumUnsentBytes else { return }
      application.state.notify(
        "understudy: a response of \(bytes) bytes was cut, because more than "
          + "\(connections.maximumUnsentBytes >> 20) MiB of responses are unsent")
      member.connection.cutForMemory(at: now)
      send(member)
      countChannelBytes()
    }
  }

  /// Returns the number of stored bytes of a connection's responses, and of the answer that arrives for it from a backend.
  private func responseBytes(of member: ConnectionSet.Member) -> Int {
    let arriving = member.connection.working.flatMap { application.upstream?.respondent?.storedBytes(of: $0) }
    return member.unsentBytes + (member.body?.bytes.count ?? 0) + (arriving ?? 0)
  }

  /// Refuses the longest requests until the others leave a sixteenth of the limit, so that a server at its limit does not
  /// sort them again with each piece that arrives.
  private mutating func boundRequests() {
    let maximum = connections.maximumRequestBytes - connections.maximumRequestBytes / 16
    let holding = connections.all.filter { $0.requestBytes > 0 }
    for member in holding.sorted(by: { $0.requestBytes > $1.requestBytes }) {
      guard connections.requestBytes > maximum else { return }
      member.connection.refuseRequest(at: now)
      send(member)
    }
  }

  mutating func send(_ member: ConnectionSet.Member) {
    if send(from: &member.connection, to: member), let work = member.connection.takeWork() { begin(work, of: member) }
  }

  /// Sends a connection's output as far as its socket accepts it, and carries out the connection's pending actions.
  /// Returns true if there is work to begin.
  private mutating func send(from connection: inout Connection, to member: ConnectionSet.Member) -> Bool {
    sending: while connection.http.output.pending > 0 {
      let (bytes, range) = connection.http.output.next(atMost: Self.maximumPiece)
      // The rest is sent in the next turn, when the poller reports that there is room.
      guard application.budget.sendableBytes > 0 else { break }
      // A short output's buffer is kept, because allocating it again costs more.
      let isEndOfLongBody = range.upperBound == bytes.count && bytes.count >= OutputBuffer.minimumLongBody
      let longBody = isEndOfLongBody ? bytes : nil
      switch member.socket.send(bytes, from: range.lowerBound, to: range.upperBound) {
      case .bytes(let count):
        application.budget.sendableBytes -= count
        member.blockedSince = nil
        let hasMore = connection.didSend(count, at: now)
        if let longBody, count == range.count { work.workers.discard(longBody) }
        guard hasMore else { break sending }
      case .full: break sending
      case .broken: connection.disconnect(at: now)
      }
    }
    // Also where the turn's bytes are used up: a peer that has no room for the rest is never heard of again.
    if connection.http.output.pending > 0, member.blockedSince == nil { member.blockedSince = now.tick }
    if connection.http.hasPeerFinished, connection.awaitsReceipt, connection.http.output.pending == 0 {
      switch member.socket.receipt() {
      case .received: connection.didReceiveResponse(at: now)
      case .refused: connection.disconnect(at: now)
      case .unknown: break
      }
    }
    let actions = connection.http.actions()
    switch actions.pending {
    case .shutDown where !actions.wantsToWrite:
      member.socket.finishWriting()
      connection.didShutDown(at: now)
    case .reset where !actions.wantsToWrite:
      member.socket.resetOnClose()
      connection.disconnect(at: now)
    default: return register(actions, of: &connection, member)
    }
    return register(connection.http.actions(), of: &connection, member)
  }

  /// The maximum number of bytes that one call passes to a socket.
  private static let maximumPiece = 256 << 10

  /// Closes a connection that has ended. Otherwise registers the events that it waits for, and returns true if there is work
  /// to begin.
  private mutating func register(
    _ actions: ServerConnection.Actions, of connection: inout Connection, _ member: ConnectionSet.Member
  ) -> Bool {
    connections.countUnsent(
      actions.unsentBytes + connection.passingBytes, connection.suspendedBody, unread: actions.unreadBytes, of: member)
    let requestBytes = actions.arrivingBytes + connection.suspendedBytes
    if requestBytes != member.requestBytes {
      connections.requestBytes += requestBytes - member.requestBytes
      member.requestBytes = requestBytes
    }
    if case .close = actions.pending {
      close(member)
      return false
    }
    if actions.isDeferred, !member.isDeferred {
      member.isDeferred = true
      connections.deferred.append(member)
    }
    let event = connection.event
    switch event {
    case .disk where !member.awaitsCommit:
      member.awaitsCommit = true
      disk.waiting.append(member)
    case .entries where !member.isStreaming:
      member.isStreaming = true
      connections.streams.append(member)
    default: break
    }
    var interest: Interest = actions.wantsToRead && !member.hasUnread ? .reading : []
    if actions.wantsToWrite { interest.insert(.writing) }
    if interest != member.interest {
      poller.change(member.socket.descriptor, token: member.token, to: interest)
      member.interest = interest
    }
    schedule(member, wakeUp: event.instant, timeout: actions.timeout)
    if case .work = event { return true }
    return false
  }

  private mutating func close(_ member: ConnectionSet.Member) {
    guard connections[member.token] != nil else { return }
    poller.remove(member.socket.descriptor)
    connections.countUnsent(0, nil, unread: 0, of: member)
    connections.requestBytes -= member.requestBytes
    member.requestBytes = 0
    connections.remove(member.token)
    services.connectionCount = connections.count
  }
}
