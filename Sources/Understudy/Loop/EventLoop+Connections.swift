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
  }

  private func send(_ entry: ConnectionTable.Entry) {
    let connection = entry.connection
    while connection.output.pending > 0 {
      switch entry.socket.send(connection.output.bytes, from: connection.output.sent, to: connection.output.released) {
      case .bytes(let count): connection.didSend(count)
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

  /// Brings what the poller is asked for into line with what the connection wants.
  private func settle(_ entry: ConnectionTable.Entry) {
    let connection = entry.connection
    guard connection.wish != .close else { return close(entry) }
    if connection.isHeldForDisk, !entry.isHeld {
      entry.isHeld = true
      held.append(entry)
    }
    if connection.isStreaming, !streams.contains(where: { $0 === entry }) { streams.append(entry) }
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
    connections.remove(entry.token)
  }
}
