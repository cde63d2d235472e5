/// The progress of a sync.
struct SyncProgress: Sendable {
  /// The latest revision of each device that this sync has tried.
  var tried: [String: Int] = [:]
  /// The devices that are being written.
  var active: Set<String> = []
  /// The active devices about which a request to the server may have failed.
  var contacted: Set<String> = []
  /// The devices that are tried once more in this sync, because the outcome of a write is unknown.
  var triedAgain: Set<String> = []
  var done = 0
  /// The time at which the first resting device is due.
  var wakeTime: Duration?
  /// The end of the rest that was last reported to the listeners.
  var announcedRest: Duration?
  /// Makes the sync check for work.
  var wake: AsyncStream<Void>.Continuation?

  /// Clears the failed attempts, so that they are repeated. Active devices are recorded again with their next attempt.
  mutating func tryAgain() {
    tried = [:]
    triedAgain = []
    wake?.yield()
  }
}

/// The devices that wait after failed requests.
///
/// Each sync gives a device a few attempts in a short time. Without a wait between them, an app that syncs after every
/// change would multiply the load of an overloaded server.
struct Cooldowns: Sendable {
  static let minimum = Duration.seconds(10)
  static let jitter = Duration.seconds(5)

  private var ends: [String: Duration] = [:]

  mutating func begin(_ deviceID: String, at now: Duration, random: Double) {
    ends = ends.filter { $0.value > now }
    ends[deviceID] = now + Self.minimum + Self.jitter * random
  }

  /// Ends the waits that end at `time` or earlier.
  mutating func finish(upTo time: Duration) { ends = ends.filter { $0.value > time } }

  /// Returns the time at which a device may be tried again; nil if it may be tried now.
  func end(of deviceID: String, at now: Duration) -> Duration? { ends[deviceID].flatMap { $0 > now ? $0 : nil } }
}

/// The scheduling of a sync.
extension DeviceOutbox {
  /// The entries that this sync has not tried yet, without the devices that are being written: those handle their newer
  /// changes themselves.
  var untried: [PendingInstallation] {
    content.pending.filter { progress.tried[$0.deviceID] != $0.revision && !progress.active.contains($0.deviceID) }
  }

  /// Serves several devices at a time, each as soon as it is due, until no entry is left to try.
  ///
  /// Every change wakes it, and it then examines all entries again.
  func serveAll() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    progress.wake = wake
    wake.yield()
    let clock = client.configuration.clock
    await withTaskGroup(of: Void.self) { group in
      for await _ in wakes {
        let now = clock.elapsed()
        while progress.active.count < parallelism, let entry = due(at: now) {
          progress.active.insert(entry.deviceID)
          group.addTask { await self.serve(entry) }
        }
        if progress.active.isEmpty, untried.isEmpty { break }
        guard let end = nextDue(after: now) else { continue }
        if progress.active.isEmpty, end != progress.announcedRest {
          progress.announcedRest = end
          report(.resting(end - now))
        }
        guard end != progress.wakeTime else { continue }
        progress.wakeTime = end
        group.addTask {
          try? await clock.sleep(end - clock.elapsed())
          await self.endWait(end)
        }
      }
      group.cancelAll()
    }
    progress.wake = nil
    progress.wakeTime = nil
  }

  /// Ends a wait when its sleep has ended, even if the clock's reading is still earlier: waiting until both agree might
  /// never end.
  private func endWait(_ end: Duration) {
    guard progress.wakeTime == end, !Task.isCancelled else { return }
    progress.wakeTime = nil
    cooldowns.finish(upTo: end)
    progress.wake?.yield()
  }

  private func due(at now: Duration) -> PendingInstallation? {
    untried.first { cooldowns.end(of: $0.deviceID, at: now) == nil }
  }

  /// Returns the time at which the first resting device is due.
  private func nextDue(after now: Duration) -> Duration? {
    untried.compactMap { cooldowns.end(of: $0.deviceID, at: now) }.min()
  }

  private func serve(_ entry: PendingInstallation) async {
    let deviceID = entry.deviceID
    report(.sending(deviceID: deviceID))
    let outcome = await deliver(deviceID, since: entry.revision)
    let wasContacted = progress.contacted.remove(deviceID) != nil
    if case .pending = outcome, wasContacted {
      let configuration = client.configuration
      cooldowns.begin(deviceID, at: configuration.clock.elapsed(), random: configuration.random())
    }
    // The next sync may begin late, or never; the outcome of a write must not wait for it.
    if case .pending = outcome, doubts.contains(deviceID), progress.triedAgain.insert(deviceID).inserted {
      progress.tried[deviceID] = nil
    }
    progress.active.remove(deviceID)
    progress.done += 1
    let total = progress.done + untried.count + progress.active.count
    report(.finished(deviceID: deviceID, outcome, done: progress.done, of: total))
    progress.wake?.yield()
  }
}
