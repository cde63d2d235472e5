import Foundation

@testable import UnderstudyClient

/// The time of a sandbox and its users: real time, plus the time that was skipped while all of them slept.
///
/// Sleepers wake in the order of their deadlines, as in real time. Time is not skipped while a user waits for the
/// network, because responses would then be hours late, or while the server works on an abandoned write, which would be
/// applied long after its day. A sleep may then end by real time alone.
actor SandboxTime {
  private struct Sleeper {
    let moment: Duration
    let continuation: CheckedContinuation<Void, Never>
  }

  /// A client that is about to send a request gets its turn between two skips, however busy the machine is, because
  /// each skip is an exchange: a long sleep of one user must not be a long wait of another.
  static let longestLeap = Duration.seconds(1)
  static let pause = Duration.milliseconds(3)

  private let sandbox: LiveSandbox
  private let ledger = Ledger()
  private let start = ContinuousClock.now
  private var sleepers: [Sleeper] = []
  private var isAwake = false

  init(_ sandbox: LiveSandbox) { self.sandbox = sandbox }

  nonisolated var elapsed: Duration { ContinuousClock.now - start + ledger.figures.leapt }
  nonisolated var figures: Figures { ledger.figures }

  func sleep(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      sleepers.append(Sleeper(moment: elapsed + duration, continuation: continuation))
      guard !isAwake else { return }
      isAwake = true
      Task { await wakeAll() }
    }
  }

  private func wakeAll() async {
    var isQuiet = false
    while let first = sleepers.indices.min(by: { sleepers[$0].moment < sleepers[$1].moment }) {
      let rest = sleepers[first].moment - elapsed
      if rest <= .zero {
        sleepers.remove(at: first).continuation.resume()
        isQuiet = false
      } else if isQuiet, !ledger.isAnythingUnderWay {
        let leap = min(rest, Self.longestLeap)
        await sandbox.advance(by: leap)
        ledger.record { $0.leapt += leap }
        isQuiet = false
      } else {
        isQuiet = !ledger.isAnythingUnderWay
        try? await Task.sleep(for: min(rest, Self.pause))
      }
    }
    isAwake = false
  }

  /// The clock of a client in the sandbox. Clients sleep only before retries, so each sleep counts as a retry.
  nonisolated var clock: ClientClock {
    ClientClock(
      elapsed: { self.elapsed },
      date: { Date() + self.ledger.figures.leapt.inSeconds },
      sleep: { duration in
        try Task.checkCancellation()
        self.ledger.record { $0.retries += 1 }
        await self.sleep(duration)
      })
  }

  /// Returns a transport whose requests stop the skipping of time while they are in progress.
  nonisolated func transport() -> any Transport { Watched(sandbox: sandbox, ledger: ledger) }

  private struct Watched: Transport {
    let sandbox: LiveSandbox
    let ledger: Ledger
    let transport = URLSessionTransport()

    func send(
      _ request: TransportRequest, timeout: Duration
    ) async throws(TransportFailure) -> TransportResponse {
      ledger.isUnderWay(1)
      defer { ledger.isUnderWay(-1) }
      let isWrite = request.method != "GET" || ["on", "off"].contains(request.url.lastPathComponent)
      if isWrite { ledger.record { $0.writes += 1 } }
      do throws(TransportFailure) {
        let response = try await transport.send(request, timeout: timeout)
        if isWrite, response.status >= 500 { ledger.record { $0.unknowns += 1 } }
        return response
      } catch {
        if isWrite, case .lost = error {
          ledger.record { $0.unknowns += 1 }
          ledger.isUnderWay(1)
          Task {
            try? await sandbox.waitForLateWrites()
            ledger.isUnderWay(-1)
          }
        }
        throw error
      }
    }
  }

  /// The figures of the run.
  struct Figures: Sendable {
    var leapt = Duration.zero
    /// Requests that could change something.
    var writes = 0
    /// Waits before another try.
    var retries = 0
    /// The number of writes without a response, or with one that does not show if they were applied.
    var unknowns = 0
  }

  /// The state that a clock can read without waiting.
  private final class Ledger: @unchecked Sendable {
    private let lock = NSLock()
    private var known = Figures()
    private var underWay = 0

    var figures: Figures { lock.withLock { known } }
    var isAnythingUnderWay: Bool { lock.withLock { underWay > 0 } }
    func record(_ change: (inout Figures) -> Void) { lock.withLock { change(&known) } }
    func isUnderWay(_ change: Int) { lock.withLock { underWay += change } }
  }
}
