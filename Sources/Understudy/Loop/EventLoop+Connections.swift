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
    let entry = ConnectionSet.Entry(socket: socket, connection: connection, token: connections.reserve())
    connections.insert(entry)
    services.connectionCount = connections.count
    poller.add(entry.socket.descriptor, token: entry.token, .reading)
    schedule(entry, wakeUp: nil, timeout: entry.connection.http.timeout)
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
    while let entry = connections.dirty.popLast() {
      entry.isDirty = false
      send(entry)
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
    for (entry, _, bytes) in holding.sorted(by: { ($0.since, $1.bytes) < ($1.since, $0.bytes) }) {
      guard connections.unsentBytes > connections.maximumUnsentBytes else { return }
      application.state.notify(
        "understudy: a response of \(bytes) bytes was cut, because more than "
          + "\(connections.maximumUnsentBytes >> 20) MiB of responses are unsent")
      entry.connection.cutForMemory(at: now)
      send(entry)
      countChannelBytes()
    }
  }

  /// Returns the number of stored bytes of a connection's responses, and of the answer that arrives for it from a backend.
  private func responseBytes(of entry: ConnectionSet.Entry) -> Int {
    let arriving = entry.connection.working.flatMap { application.upstream?.respondent?.storedBytes(of: $0) }
    return entry.unsentBytes + (entry.body?.bytes.count ?? 0) + (arriving ?? 0)
  }

  /// Refuses the longest requests until the others leave a sixteenth of the limit, so that a server at its limit does not
  /// sort them again with each piece that arrives.
  private mutating func boundRequests() {
    let maximum = connections.maximumRequestBytes - connections.maximumRequestBytes / 16
    let holding = connections.all.filter { $0.requestBytes > 0 }
    for entry in holding.sorted(by: { $0.requestBytes > $1.requestBytes }) {
      guard connections.requestBytes > maximum else { return }
      entry.connection.refuseRequest(at: now)
      send(entry)
    }
  }

  mutating func send(_ entry: ConnectionSet.Entry) {
    if send(from: &entry.connection, to: entry), let work = entry.connection.takeWork() { begin(work, of: entry) }
  }

  /// Sends a connection's output as far as its socket accepts it, and carries out the connection's pending actions.
  /// Returns true if there is work to begin.
  private mutating func send(from connection: inout Connection, to entry: ConnectionSet.Entry) -> Bool {
    sending: while connection.http.output.pending > 0 {
      let (bytes, range) = connection.http.output.next(atMost: Self.maximumPiece)
      // The rest is sent in the next turn, when the poller reports that there is room.
      guard application.budget.sendableBytes > 0 else { break }
      // A short output's buffer is kept, because allocating it again costs more.
      let isEndOfLongBody = range.upperBound == bytes.count && bytes.count >= OutputBuffer.minimumLongBody
      let longBody = isEndOfLongBody ? bytes : nil
      switch entry.socket.send(bytes, from: range.lowerBound, to: range.upperBound) {
      case .bytes(let count):
        application.budget.sendableBytes -= count
        entry.blockedSince = nil
        let hasMore = connection.didSend(count, at: now)
        if let longBody, count == range.count { work.workers.discard(longBody) }
        guard hasMore else { break sending }
      case .full: break sending
      case .broken: connection.disconnect(at: now)
      }
    }
    // Also where the turn's bytes are used up: a peer that has no room for the rest is never heard of again.
    if connection.http.output.pending > 0, entry.blockedSince == nil { entry.blockedSince = now.tick }
    if connection.http.hasPeerFinished, connection.awaitsReceipt, connection.http.output.pending == 0 {
      switch entry.socket.receipt() {
      case .received: connection.didReceiveResponse(at: now)
      case .refused: connection.disconnect(at: now)
      case .unknown: break
      }
    }
    let actions = connection.http.actions()
    switch actions.pending {
    case .shutDown where !actions.wantsToWrite:
      entry.socket.finishWriting()
      connection.didShutDown(at: now)
    case .reset where !actions.wantsToWrite:
      entry.socket.resetOnClose()
      connection.disconnect(at: now)
    default: return register(actions, of: &connection, entry)
    }
    return register(connection.http.actions(), of: &connection, entry)
  }

  /// The maximum number of bytes that one call passes to a socket.
  private static let maximumPiece = 256 << 10

  /// Closes a connection that has ended. Otherwise registers the events that it waits for, and returns true if there is work
  /// to begin.
  private mutating func register(
    _ actions: ServerConnection.Actions, of connection: inout Connection, _ entry: ConnectionSet.Entry
  ) -> Bool {
    connections.countUnsent(
      actions.unsentBytes + connection.passingBytes, connection.heldBody, unread: actions.unreadBytes, of: entry)
    let requestBytes = actions.arrivingBytes + connection.heldBytes
    if requestBytes != entry.requestBytes {
      connections.requestBytes += requestBytes - entry.requestBytes
      entry.requestBytes = requestBytes
    }
    if case .close = actions.pending {
      close(entry)
      return false
    }
    if actions.isDeferred, !entry.isDeferred {
      entry.isDeferred = true
      connections.deferred.append(entry)
    }
    let event = connection.event
    switch event {
    case .disk where !entry.awaitsCommit:
      entry.awaitsCommit = true
      disk.waiting.append(entry)
    case .entries where !entry.isStreaming:
      entry.isStreaming = true
      connections.streams.append(entry)
    default: break
    }
    var interest: Interest = actions.wantsToRead && !entry.hasUnread ? .reading : []
    if actions.wantsToWrite { interest.insert(.writing) }
    if interest != entry.interest {
      poller.change(entry.socket.descriptor, token: entry.token, to: interest)
      entry.interest = interest
    }
    schedule(entry, wakeUp: event.instant, timeout: actions.timeout)
    if case .work = event { return true }
    return false
  }

  private mutating func close(_ entry: ConnectionSet.Entry) {
    guard connections[entry.token] != nil else { return }
    poller.remove(entry.socket.descriptor)
    connections.countUnsent(0, nil, unread: 0, of: entry)
    connections.requestBytes -= entry.requestBytes
    entry.requestBytes = 0
    connections.remove(entry.token)
    services.connectionCount = connections.count
  }
}
