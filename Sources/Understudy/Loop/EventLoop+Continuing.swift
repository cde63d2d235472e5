import HTTP1

extension EventLoop {
  /// A connection that goes on, in this turn or a later one.
  struct Continuation {
    let entry: ConnectionSet.Entry
    let reason: Reason

    enum Reason {
      /// The changes that it made or read are on the disk.
      case committed
      /// The network switch no longer holds its response.
      case released
      /// An outage has reset it, and its socket is open.
      case reset
    }
  }

  /// The maximum number of connections that go on in a turn, and of delays and timeouts that end in one pass of it.
  static let maximumContinued = 64

  /// Does what the application requested and the disk allows, up to the limit of a turn.
  mutating func continueConnections() {
    if services.hasCommands { carryOutCommands() }
    guard !connections.continuing.isEmpty else { return }
    let continued = connections.continuing.prefix(Self.maximumContinued)
    connections.continuing.removeFirst(continued.count)
    for continuation in continued where connections[continuation.entry.token] != nil { carryOut(continuation) }
  }

  private mutating func carryOut(_ continuation: Continuation) {
    let entry = continuation.entry
    switch continuation.reason {
    case .committed:
      entry.awaitsCommit = false
      entry.connection.resolve(isDurable: true, at: now)
    case .released: entry.connection.release(at: now)
    case .reset: return send(entry)
    }
    markDirty(entry)
  }

  private mutating func carryOutCommands() {
    while let command = services.nextCommand() {
      switch command {
      case .acceptContent(let token):
        guard let entry = connections[token] else { continue }
        entry.connection.acceptContent()
        markDirty(entry)
      case .countContent(let token): if let entry = connections[token] { connections.countUnsent(of: entry) }
      case .answer(let question, let response): finish(question, with: response)
      case .releaseResponses(let sandbox):
        for entry in connections.all where entry.connection.sandbox == sandbox {
          guard entry.connection.isHeldByNetwork else { continue }
          connections.continuing.append(Continuation(entry: entry, reason: .released))
        }
      case .resetConnections(let sandboxes):
        for entry in connections.all where entry.connection.http.state.phase != .mustReset {
          guard let sandbox = entry.connection.sandbox, sandboxes.contains(sandbox) else { continue }
          // It does nothing more from now on. To close its socket takes most of the time.
          entry.connection.reset(at: now)
          connections.continuing.append(Continuation(entry: entry, reason: .reset))
        }
      }
    }
  }
}
