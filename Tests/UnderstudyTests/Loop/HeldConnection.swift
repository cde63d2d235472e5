import Contract
import HTTP1

@testable import Primitives
@testable import Understudy

/// A connection to which several parts of a test have a reference.
final class HeldConnection {
  var connection: Connection

  init(peer: String, port: Labels, backend: Backend, timeouts: Timeouts) {
    connection = Connection(peer: peer, port: port, backend: backend, timeouts: timeouts, at: backend.now)
  }

  var output: OutputBuffer { _read { yield connection.http.output } }
  var progress: Connection.Progress { _read { yield connection.progress } }
  var parser: RequestParser { _read { yield connection.http.parser } }
  var backend: Backend { connection.backend }
  var isIdle: Bool { connection.isIdle }
  var state: ConnectionState { connection.http.state }
  var pendingAction: ServerConnection.PendingAction { connection.http.pendingAction }
  var wantsToRead: Bool { connection.http.wantsToRead }
  var isDeferred: Bool { connection.http.isDeferred }
  var awaitsCommit: Bool { if case .disk = connection.wait { true } else { false } }
  var isStreaming: Bool { connection.isStreaming }
  var timeout: MonotonicInstant { connection.http.timeout }
  var wakeUp: MonotonicInstant? { connection.wakeUp }
  var unsent: [Backend.Unsent] { connection.unsent }

  func receive(_ bytes: ArraySlice<UInt8>) { connection.receive(bytes, at: backend.now) }
  func finish() { connection.finish(at: backend.now) }
  func didSend(_ count: Int) { connection.didSend(count, at: backend.now) }
  func didShutDown() { connection.didShutDown(at: backend.now) }
  func disconnect() { connection.disconnect(at: backend.now) }
  func reset() { connection.reset(at: backend.now) }
  func expire() { connection.expire(at: backend.now) }
  func rest() { connection.rest() }
  func drain() { connection.drain(at: backend.now) }
  func resume() { connection.resume(at: backend.now) }
  func release() { connection.release(at: backend.now) }
  func advanceDeferred() { connection.advanceDeferred(at: backend.now) }
  func resolve(isDurable: Bool) { connection.resolve(isDurable: isDurable, at: backend.now) }
  func takeWork() -> Work? { connection.takeWork() }
  func finish(_ work: Work, _ result: any Sendable) { connection.finish(work, result, at: backend.now) }
  func follow(within budget: inout JournalFollower.Budget) { connection.follow(within: &budget, at: backend.now) }
}
