/// How far a sync has come.
struct SyncProgress: Sendable {
  /// The latest revision of each device that this sync has tried.
  var tried: [String: Int] = [:]
  /// The devices that are being written.
  var active: Set<String> = []
  /// Those of them about which a server may have been asked in vain.
  var asked: Set<String> = []
  var done = 0
  /// When the first of the resting devices is to be served.
  var alarm: Duration?
  /// The end of the rest that the listeners were last told of.
  var announcedRest: Duration?
  /// Has the sync look again what there is to do.
  var wake: AsyncStream<Void>.Continuation?

  /// Has what was tried in vain be tried once more; what is under way notes itself again with its next try.
  mutating func tryAgain() {
    tried = [:]
    wake?.yield()
  }
}

/// Which devices are left alone for a while, because a server was asked about them in vain.
///
/// Each sync gives a device a few tries in a short time. Without a rest between them, an app that syncs whenever it has
/// something new would multiply the load of a server that has too much of it already.
struct Rests: Sendable {
  static let shortest = Duration.seconds(10)
  static let jitter = Duration.seconds(5)

  private var ends: [String: Duration] = [:]

  mutating func begin(_ deviceID: String, at now: Duration, random: Double) {
    ends = ends.filter { $0.value > now }
    ends[deviceID] = now + Self.shortest + Self.jitter * random
  }

  /// Ends those that were to last until a moment.
  mutating func finish(upTo moment: Duration) { ends = ends.filter { $0.value > moment } }

  /// When a device may be tried again; nil where it may be now.
  func end(of deviceID: String, at now: Duration) -> Duration? { ends[deviceID].flatMap { $0 > now ? $0 : nil } }
}

/// The order of a sync: which device is served when.
extension DeviceOutbox {
  /// What this sync has not tried yet, without the devices that are being written: those see to their newer changes.
  var untried: [PendingInstallation] {
    content.pending.filter { progress.tried[$0.deviceID] != $0.revision && !progress.active.contains($0.deviceID) }
  }

  /// Serves as many devices at a time as may be, each as soon as it may be, until nothing is left to try.
  ///
  /// Whatever changes wakes it, and then it looks at everything anew.
  func serveAll() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    progress.wake = wake
    wake.yield()
    let clock = client.configuration.clock
    await withTaskGroup(of: Void.self) { group in
      for await _ in wakes {
        let now = clock.elapsed()
        while progress.active.count < parallelism, let deviceID = due(at: now) {
          progress.active.insert(deviceID)
          group.addTask { await self.serve(deviceID) }
        }
        if progress.active.isEmpty, untried.isEmpty { break }
        guard progress.active.count < parallelism, let end = nextDue(after: now) else { continue }
        if progress.active.isEmpty, end != progress.announcedRest {
          progress.announcedRest = end
          tell(.resting(end - now))
        }
        guard end != progress.alarm else { continue }
        progress.alarm = end
        group.addTask {
          try? await clock.sleep(end - clock.elapsed())
          await self.ring(end)
        }
      }
      group.cancelAll()
    }
    progress.wake = nil
    progress.alarm = nil
  }

  /// What was slept through is over, whatever another clock says: who waits for both to agree may wait for ever.
  private func ring(_ end: Duration) {
    guard progress.alarm == end, !Task.isCancelled else { return }
    progress.alarm = nil
    rests.finish(upTo: end)
    progress.wake?.yield()
  }

  private func due(at now: Duration) -> String? {
    untried.first { rests.end(of: $0.deviceID, at: now) == nil }?.deviceID
  }

  /// When the first of those who rest may be served.
  private func nextDue(after now: Duration) -> Duration? {
    untried.compactMap { rests.end(of: $0.deviceID, at: now) }.min()
  }

  private func serve(_ deviceID: String) async {
    tell(.sending(deviceID: deviceID))
    let outcome = await deliver(deviceID)
    let wasAsked = progress.asked.remove(deviceID) != nil
    if case .pending = outcome, wasAsked {
      let configuration = client.configuration
      rests.begin(deviceID, at: configuration.clock.elapsed(), random: configuration.random())
    }
    progress.active.remove(deviceID)
    progress.done += 1
    let total = progress.done + untried.count + progress.active.count
    tell(.finished(deviceID: deviceID, outcome, done: progress.done, of: total))
    progress.wake?.yield()
  }
}
