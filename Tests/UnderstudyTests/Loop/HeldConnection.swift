import Contract
import HTTP1

@testable import Primitives
@testable import Understudy

/// A connection to which several parts of a test have a reference.
final class HeldConnection {
  var connection: Connection

  init(peer: String, port: Labels, application: Application, timeouts: Timeouts) {
    connection = Connection(peer: peer, port: port, application: application, timeouts: timeouts, at: application.now)
  }

  var output: OutputBuffer { _read { yield connection.http.output } }
  var parser: RequestParser { _read { yield connection.http.parser } }
  var application: Application { connection.application }
  var isIdle: Bool { connection.isIdle }
  var state: ConnectionState { connection.http.state }
  var pendingAction: ServerConnection.PendingAction { connection.http.pendingAction }
  var wantsToRead: Bool { connection.http.wantsToRead }
  var isDeferred: Bool { connection.http.isDeferred }
  var awaitsCommit: Bool { connection.awaitsDisk }
  var isStreaming: Bool { connection.isStreaming }
  var awaitsReceipt: Bool { connection.awaitsReceipt }
  var timeout: MonotonicInstant { connection.http.timeout }
  var wakeUp: MonotonicInstant? { connection.wakeUp }
  var unsent: [Application.Unsent] { connection.unsent }

  func receive(_ bytes: ArraySlice<UInt8>) { connection.receive(bytes, at: application.now) }
  func finish() { connection.finish(at: application.now) }
  func didSend(_ count: Int) { connection.didSend(count, at: application.now) }
  func didShutDown() { connection.didShutDown(at: application.now) }
  func disconnect() { connection.disconnect(at: application.now) }
  func reset() { connection.reset(at: application.now) }
  func expire() { connection.expire(at: application.now) }
  func rest() { connection.rest() }
  func refuseRequest() { connection.refuseRequest(at: application.now) }
  func drain() { connection.drain(at: application.now) }
  func resume() { connection.resume(at: application.now) }
  func didReceiveResponse() { connection.didReceiveResponse(at: application.now) }
  func release() { connection.release(at: application.now) }
  func advanceDeferred() { connection.advanceDeferred(at: application.now) }
  func resolve(isDurable: Bool) { connection.resolve(isDurable: isDurable, at: application.now) }

  /// Continues after a round of images, unless an image that it waits for is in doubt or in a later round.
  ///
  /// - Parameter isLater: True if the exchange was performed during the round.
  func resolve(afterRefusing refused: [Sandbox], isLater: Bool = false) {
    guard let isDurable = connection.verdict(afterRefusing: refused), !isDurable || !isLater else { return }
    resolve(isDurable: isDurable)
  }

  func takeWork() -> Connection.TakenWork? { connection.takeWork() }
  func finish(_ work: Connection.TakenWork, _ result: any Sendable) {
    connection.finish(work.exchange, with: result, at: application.now)
  }
  func follow(within budget: inout JournalFollower.Budget) { connection.follow(within: &budget, at: application.now) }
}

extension Connection.TakenWork {
  /// Does the job; returns nil for a question.
  func run() -> (any Sendable)? {
    guard case .job(let job) = task else { return nil }
    return job.prepare()()
  }
}
