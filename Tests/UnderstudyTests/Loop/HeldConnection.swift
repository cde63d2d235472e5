import Contract
import HTTP1

@testable import Primitives
@testable import Understudy

/// A connection to which several parts of a test have a reference.
final class HeldConnection {
  var connection: Connection

  init(peer: String, port: Labels, backend: Backend, timeouts: Timeouts) {
    connection = Connection(peer: peer, port: port, backend: backend, timeouts: timeouts)
  }

  var output: OutputBuffer { _read { yield connection.output } }
  var progress: Connection.Progress { _read { yield connection.progress } }
  var parser: RequestParser { _read { yield connection.parser } }
  var backend: Backend { connection.backend }
  var isIdle: Bool { connection.isIdle }
  var state: ConnectionState { connection.state }
  var pendingAction: Connection.PendingAction { connection.pendingAction }
  var wantsToRead: Bool { connection.wantsToRead }
  var isDeferred: Bool { connection.isDeferred }
  var awaitsCommit: Bool { connection.awaitsCommit }
  var isStreaming: Bool { connection.isStreaming }
  var timeout: MonotonicInstant { connection.timeout }
  var wakeUp: MonotonicInstant? {
    get { connection.wakeUp }
    set { connection.wakeUp = newValue }
  }
  var unsent: [Backend.Unsent] { connection.unsent }

  func receive(_ bytes: ArraySlice<UInt8>) { connection.receive(bytes) }
  func finish() { connection.finish() }
  func didSend(_ count: Int) { connection.didSend(count) }
  func didShutDown() { connection.didShutDown() }
  func disconnect() { connection.disconnect() }
  func reset() { connection.reset() }
  func expire() { connection.expire() }
  func rest() { connection.rest() }
  func drain() { connection.drain() }
  func resume() { connection.resume() }
  func release() { connection.release() }
  func advanceDeferred() { connection.advanceDeferred() }
  func resolve(isDurable: Bool) { connection.resolve(isDurable: isDurable) }
  func takeWork() -> Work? { connection.takeWork() }
  func finish(_ work: Work, _ result: any Sendable) { connection.finish(work, result) }
  func follow(within budget: inout JournalFollower.Budget) { connection.follow(within: &budget) }
}
