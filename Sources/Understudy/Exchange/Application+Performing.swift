import Contract
import Faults
import HTTP1
import Platform
import Primitives
import Report
import Services

/// The second step of an exchange: it is performed, at once or with work.
extension Application {
  /// An exchange that is performed as far as possible.
  enum Performed: ~Copyable {
    case answered(Answer)
    case awaits(Work)
  }

  /// The changes that must be on the disk before a response is sent.
  struct AwaitedChanges {
    /// The sandboxes whose images have to be stored first.
    var sandboxes: [Sandbox] = []
    /// True if the changes are those of the exchange; otherwise it shows them.
    var isOfExchange = false

    var isEmpty: Bool { sandboxes.isEmpty }

    func includes(_ sandbox: Sandbox) -> Bool { sandboxes.contains { $0 === sandbox } }
  }

  /// Performs an exchange.
  func perform(_ exchange: inout Exchange, at now: ClockReading) -> Performed {
    take(
      { exchange, application, now in application.responder.response(to: &exchange, application, at: now) },
      of: &exchange, at: now)
  }

  /// Continues an exchange with the result of its work.
  func resume(_ exchange: inout Exchange, with result: any Sendable, of work: Work, at now: ClockReading) -> Performed {
    // A job has had no effect, and may have seen changes that were rolled back since. An answer has no part in the state.
    if case .job = work.task, exchange.rollbackCount != state.rollbackCount { return perform(&exchange, at: now) }
    return take(
      { exchange, application, now in work.next(result, &exchange, application, now) }, of: &exchange, at: now)
  }

  /// Takes a step of an exchange.
  private func take(_ step: Work.Step, of exchange: inout Exchange, at now: ClockReading) -> Performed {
    let version = exchange.sandbox?.state.store.version ?? 0
    let changeCount = state.directory?.changeCount ?? 0
    switch performed(step, of: &exchange, at: now) {
    case .work(let work):
      markKeyInFlight(of: &exchange)
      exchange.awaitsWork(since: state.rollbackCount)
      return .awaits(work)
    case .response(let response):
      if exchange.inFlightKey != nil {
        releaseKey(of: exchange)
        exchange.inFlightKey = nil
      }
      let next = response.changed ? max(version, exchange.sandbox?.state.store.version ?? 0) : version
      let versions = exchange.shownVersion.map { $0..<$0 } ?? version..<next
      var answer = Answer(response: response, versions: versions)
      if let directory = state.directory {
        answer.awaited = awaitedChanges(of: exchange, directory, since: changeCount)
      }
      return .answered(answer)
    }
  }

  /// Takes a step, and those that follow from the results of jobs that the loop's own thread computes.
  private func performed(_ step: Work.Step, of exchange: inout Exchange, at now: ClockReading) -> Performance {
    guard !isOlderThanReset(exchange) else {
      return .response(responder.refusal(.resetMeanwhile, .resetMeanwhile, of: exchange, self))
    }
    let performance = step(&exchange, self, now)
    guard case .work(let work) = performance, case .job(let job) = work.task,
      job.place == .loop || !state.loop.hasWorkers
    else { return performance }
    return performed({ work.next(job.prepare()(), &$0, $1, $2) }, of: &exchange, at: now)
  }

  /// True for a write that waited while its sandbox was reset: it must not change the data of the next test.
  private func isOlderThanReset(_ exchange: borrowing Exchange) -> Bool {
    guard exchange.isPlanned || exchange.rollbackCount != nil, exchange.id > 0, exchange.changesState,
      let sandbox = exchange.sandbox
    else { return false }
    return exchange.id < sandbox.traffic.exchangeLog.journal.firstID
  }

  private func awaitedChanges(
    of exchange: borrowing Exchange, _ directory: StateDirectory, since changeCount: Int
  ) -> AwaitedChanges {
    if directory.changeCount > changeCount {
      return AwaitedChanges(sandboxes: directory.sandboxes(ofChangesAfter: changeCount), isOfExchange: true)
    }
    return AwaitedChanges(sandboxes: exchange.destination.source.unstored(shownTo: exchange, directory, self))
  }
}
