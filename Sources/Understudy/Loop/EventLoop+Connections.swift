import Contract

extension EventLoop {
  /// Takes those who wait at a door, though not so many at once that the others starve; whether any may be left.
  @discardableResult
  func accept(at place: Int) -> Bool {
    for _ in 0..<64 {
      switch doors.accept(at: place) {
      case .connection(let socket, let peer, let labels): admit(socket, peer, labels)
      case .none: return false
      case .exhausted:
        // Who is inside is served on; who is outside waits in the kernel's queue until a descriptor is free.
        doors.pause(poller)
        return false
      }
    }
    return true
  }

  /// Takes all who wait at the doors: closing these would send a reset to them, whatever they have sent already.
  func takeWhoWaits() {
    for place in doors.places { while accept(at: place) {} }
  }

  private func admit(_ socket: consuming Socket, _ peer: String, _ labels: Labels) {
    guard !backend.refuses(labels) else { return socket.resetOnClose() }
    let connection = Connection(peer: peer, port: labels, backend: backend, timeouts: timeouts)
    let entry = ConnectionTable.Entry(socket: socket, connection: connection, token: connections.reserve())
    connections.insert(entry)
    poller.add(entry.socket.descriptor, token: entry.token, .reading)
    schedule(entry)
  }

  /// Sends what has been collected, once for each connection.
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

  /// Resets the connections whose peers have taken nothing for the longest time, until the rest is within the bound.
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
      // What is left goes out in the next turn, when the poller tells that there is room.
      guard sendableBytes > 0 else { return settle(entry) }
      let (bytes, range) = connection.output.next(atMost: Self.maximumPiece)
      // A short output is not held on to: the buffer would have to be allocated anew.
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
    switch connection.wish {
    case .goOn, .close: break
    case .shutDown:
      entry.socket.finishWriting()
      connection.didShutDown()
    case .reset:
      entry.socket.resetOnClose()
      connection.disconnect()
    }
    settle(entry)
  }

  /// The bytes that one call gives to a socket at most.
  private static let maximumPiece = 256 << 10

  /// Does an exchange's work on another thread, and resumes the exchange with the result.
  private func begin(_ work: Work, of entry: ConnectionTable.Entry) {
    let token = entry.token
    workers.run({ Parcel(work.body()) }) { [mailbox] parcel in
      mailbox.post { loop in
        guard let result = parcel.take() else { preconditionFailure("a result is taken once") }
        if let entry = loop.connections[token] {
          entry.connection.finish(work, result)
          loop.markDirty(entry)
        }
        // Most exchanges are over by now, and this is the last that is held of what may have a million parts.
        loop.workers.discard(result)
      }
    }
  }

  /// Brings what the poller is asked for into line with what the connection wants.
  private func settle(_ entry: ConnectionTable.Entry) {
    let connection = entry.connection
    heldOutput += connection.output.count - entry.heldOutput
    entry.heldOutput = connection.output.count
    guard connection.wish != .close else { return close(entry) }
    if connection.isHeldForDisk, !entry.isHeld {
      entry.isHeld = true
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
