import Contract

extension EventLoop {
  /// Accepts pending connections at a listener, up to a limit so that established connections are served. Returns true
  /// if more may be pending.
  @discardableResult
  func accept(at index: Int) -> Bool {
    for _ in 0..<64 {
      switch listeners.accept(at: index) {
      case .connection(let socket, let peer, let labels): admit(socket, peer, labels)
      case .none: return false
      case .exhausted:
        // Established connections are still served; new ones wait in the kernel's queue until a descriptor is free.
        listeners.pause(poller)
        return false
      }
    }
    return true
  }

  /// Accepts every pending connection before the listeners are closed; otherwise the kernel would reset them.
  func acceptPending() {
    for index in listeners.indices { while accept(at: index) {} }
  }

  private func admit(_ socket: consuming Socket, _ peer: String, _ labels: Labels) {
    guard !backend.refuses(labels) else { return socket.resetOnClose() }
    let connection = Connection(peer: peer, port: labels, backend: backend, timeouts: timeouts)
    let entry = ConnectionTable.Entry(socket: socket, connection: connection, token: connections.reserve())
    connections.insert(entry)
    poller.add(entry.socket.descriptor, token: entry.token, .reading)
    schedule(entry)
  }

  /// Sends the collected output, once for each connection.
  func flush() {
    var index = 0
    while index < dirty.count {
      let entry = dirty[index]
      index += 1
      entry.isDirty = false
      send(entry)
    }
    dirty.removeAll(keepingCapacity: true)
    if heldOutput > maximumHeldOutput { boundOutput() }
  }

  /// Resets the connections whose peers have accepted nothing for the longest time, until the output is within the
  /// limit.
  private func boundOutput() {
    let holding = connections.all.filter { $0.heldOutput > 0 }
    for entry in holding.sorted(by: { $0.connection.timeout < $1.connection.timeout }) {
      guard heldOutput > maximumHeldOutput else { return }
      entry.connection.reset()
      send(entry)
    }
  }

  private func send(_ entry: ConnectionTable.Entry) {
    let connection = entry.connection
    while connection.output.pending > 0 {
      // The rest is sent in the next turn, when the poller reports that there is room.
      guard sendableBytes > 0 else { return settle(entry) }
      let (bytes, range) = connection.output.next(atMost: Self.maximumPiece)
      // A short output's buffer is kept, because allocating it again costs more.
      let isEndOfLongBody = range.upperBound == bytes.count && bytes.count >= OutputBuffer.minimumLongBody
      let longBody = isEndOfLongBody ? bytes : nil
      switch entry.socket.send(bytes, from: range.lowerBound, to: range.upperBound) {
      case .bytes(let count):
        sendableBytes -= count
        connection.didSend(count)
        if let longBody, count == range.count { workers.discard(longBody) }
      case .full: return settle(entry)
      case .broken: connection.disconnect()
      }
    }
    switch connection.pendingAction {
    case .resume, .close: break
    case .shutDown:
      entry.socket.finishWriting()
      connection.didShutDown()
    case .reset:
      entry.socket.resetOnClose()
      connection.disconnect()
    }
    settle(entry)
  }

  /// The maximum number of bytes that one call passes to a socket.
  private static let maximumPiece = 256 << 10

  /// Runs an exchange's work on another thread, and resumes the exchange with the result.
  private func begin(_ work: Work, of entry: ConnectionTable.Entry) {
    let token = entry.token
    workers.run({ Handover(work.body()) }) { [jobs] parcel in
      jobs.post { loop in
        guard let result = parcel.take() else { preconditionFailure("a result is taken once") }
        if let entry = loop.connections[token] {
          entry.connection.finish(work, result)
          loop.markDirty(entry)
        }
        // Most exchanges have ended by now. This is the last reference to a result that may have a million parts, so
        // another thread frees it.
        loop.workers.discard(result)
      }
    }
  }

  /// Updates the poller's events to those that the connection needs.
  private func settle(_ entry: ConnectionTable.Entry) {
    let connection = entry.connection
    heldOutput += connection.output.count - entry.heldOutput
    entry.heldOutput = connection.output.count
    guard connection.pendingAction != .close else { return close(entry) }
    if connection.isHeldForDisk, !entry.isPaused {
      entry.isPaused = true
      held.append(entry)
    }
    if connection.isDeferred, !entry.isDeferred {
      entry.isDeferred = true
      deferred.append(entry)
    }
    if let work = connection.takeWork() { begin(work, of: entry) }
    if connection.isStreaming, !entry.isStreaming {
      entry.isStreaming = true
      streams.append(entry)
    }
    var interest: Interest = connection.wantsToRead ? .reading : []
    if connection.output.pending > 0 { interest.insert(.writing) }
    if interest != entry.interest {
      poller.change(entry.socket.descriptor, token: entry.token, to: interest)
      entry.interest = interest
    }
    schedule(entry)
  }

  private func close(_ entry: ConnectionTable.Entry) {
    guard connections[entry.token] != nil else { return }
    poller.remove(entry.socket.descriptor)
    heldOutput -= entry.heldOutput
    entry.heldOutput = 0
    connections.remove(entry.token)
  }
}
