import HTTP1

extension EventLoop {
  /// A connection that goes on, in this turn or a later one.
  struct Continuation {
    let member: ConnectionSet.Member
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
    for continuation in continued where connections[continuation.member.token] != nil { carryOut(continuation) }
  }

  private mutating func carryOut(_ continuation: Continuation) {
    let member = continuation.member
    switch continuation.reason {
    case .committed:
      member.awaitsCommit = false
      member.connection.resolve(isDurable: true, at: now)
    case .released: member.connection.release(at: now)
    case .reset: return send(member)
    }
    markDirty(member)
  }

  private mutating func carryOutCommands() {
    while let command = services.nextCommand() {
      switch command {
      case .acceptContent(let token):
        guard let member = connections[token] else { continue }
        member.connection.acceptContent()
        markDirty(member)
      case .countContent(let token): if let member = connections[token] { connections.countUnsent(of: member) }
      case .answer(let question, let response): finish(question, with: response)
      case .releaseResponses(let sandbox):
        for member in connections.all where member.connection.sandbox == sandbox {
          guard member.connection.isHeldByNetwork else { continue }
          connections.continuing.append(Continuation(member: member, reason: .released))
        }
      case .resetConnections(let sandboxes):
        for member in connections.all where member.connection.http.state.phase != .mustReset {
          guard let sandbox = member.connection.sandbox, sandboxes.contains(sandbox) else { continue }
          // It does nothing more from now on. To close its socket takes most of the time.
          member.connection.reset(at: now)
          connections.continuing.append(Continuation(member: member, reason: .reset))
        }
      }
    }
  }
}
