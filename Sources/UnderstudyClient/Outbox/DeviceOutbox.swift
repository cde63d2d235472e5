public import Foundation

/// Records installations without a network, and sends them to the server when there is one.
///
/// A change survives a crash once `record` has returned. Each device has at most one pending change: the newest. The
/// server is read before each write, and the write is conditional on what was read (`If-Match`). So a write with an
/// unknown outcome is never repeated blindly, and a late one cannot overwrite its successor.
public actor DeviceOutbox {
  let client: BackendClient
  /// The maximum number of devices that are written at the same time.
  public nonisolated let parallelism: Int
  nonisolated let stored: StoredValue<OutboxContent>
  private var broadcast = Broadcast<SyncEvent>()
  private var run: Task<Void, Never>?
  var progress = SyncProgress()
  var cooldowns = Cooldowns()
  /// The devices whose last write has an unknown outcome, until the server has shown them.
  var doubts: Set<String> = []
  private var viewCount = 0

  /// Creates the outbox. Its file is read when it is needed, and created by the first record.
  ///
  /// - Parameters:
  ///   - client: The client that sends the installations to the devices API.
  ///   - url: Its file. Several outboxes of one process may use it.
  ///   - parallelism: The maximum number of devices that are written at the same time.
  public init(_ client: BackendClient, file url: URL, parallelism: Int = 4) {
    self.init(client, path: url.pathWithoutLinks, parallelism: parallelism, store: DiskFileStore())
  }

  init(_ client: BackendClient, path: String, parallelism: Int, store: any FileStore) {
    self.client = client
    self.parallelism = max(1, parallelism)
    stored = StoredValue(
      DurableFile(path: path, kind: "understudy-outbox", store: store), initial: OutboxContent())
  }

  var content: OutboxContent { stored.value }

  /// The path under which a damaged file was set aside.
  public var damagedFile: URL? { stored.damagedFile }
  /// The changes that have not reached the server, the oldest first.
  public var pending: [PendingInstallation] { content.pending }
  /// The changes that the server refused.
  public var rejected: [RejectedInstallation] { content.rejected }

  /// Records the installation date of a device, or nil if it is not installed. It replaces the device's pending change.
  ///
  /// - Throws: `StorageError`; then nothing was recorded.
  public func record(_ installationDate: Date?, for deviceID: String) throws(StorageError) {
    try change { content in
      content.record(installationDate.map { SentDate($0) }, for: deviceID, at: client.configuration.clock.date())
    }
  }

  /// Discards a pending change. A change that is being sent may still reach the server.
  public func withdraw(_ deviceID: String) throws(StorageError) {
    try change { $0.withdraw(deviceID) }
  }

  /// Discards a rejected installation.
  public func dismissRejected(_ deviceID: String) throws(StorageError) {
    try change { $0.dismiss(deviceID) }
  }

  /// Changes the content, on disk first.
  func change(_ body: (inout OutboxContent) -> Void) throws(StorageError) {
    try stored.change(body)
    progress.wake?.yield()
  }

  /// The part of the outbox that a model shows. Of two views the one with the higher number is newer.
  struct View: Sendable {
    let number: Int
    let content: OutboxContent
    let sending: Set<String>
    let failure: StorageError?
  }

  func makeView() -> View {
    viewCount += 1
    return View(number: viewCount, content: content, sending: progress.active, failure: stored.failure)
  }

  /// Writes pending changes to the server, several devices at a time, and reports the progress.
  ///
  /// A call during a running sync joins it, and makes it retry failed attempts. Changes that are recorded in the
  /// meantime are included. The sync is cancelled when it has no more listeners; unfinished changes then stay pending.
  /// A cancelled sync is not joined: the next one begins when it has ended.
  ///
  /// However often this is called, a device waits ten to fifteen seconds after failed requests to the server, and the
  /// sync waits with it (`SyncEvent.resting`). Changes that could not even be sent are retried at once. Cancelling the
  /// sync ends these waits. A device whose last write has an unknown outcome is tried once more after its wait, so that
  /// the sync finds out.
  public func sync() -> AsyncStream<SyncEvent> {
    let (events, continuation) = AsyncStream.makeStream(of: SyncEvent.self)
    broadcast.add(continuation) { [weak self] id in Task { await self?.stopListening(id) } }
    if run == nil { begin() } else { progress.tryAgain() }
    if run?.isCancelled == false { continuation.yield(.began(count: untried.count + progress.active.count)) }
    return events
  }

  private func begin() {
    progress = SyncProgress()
    run = Task { await runToTheEnd() }
  }

  /// Writes pending changes, and returns those that are still pending afterwards.
  @discardableResult
  public func syncToTheEnd() async -> [PendingInstallation] {
    for await _ in sync() {}
    return pending
  }

  /// Reports to the listeners of this task's sync. A cancelled sync has none; its successor may.
  func report(_ event: SyncEvent) {
    if !Task.isCancelled { broadcast.send(event) }
  }

  private func stopListening(_ id: UUID) {
    broadcast.remove(id)
    if broadcast.isUnheard { run?.cancel() }
  }

  private func runToTheEnd() async {
    repeat { await serveAll() } while !untried.isEmpty && !Task.isCancelled
    run = nil
    // A user who cancels and starts again does not wait for the waits of the cancelled sync.
    if Task.isCancelled { cooldowns = Cooldowns() }
    if !Task.isCancelled {
      report(.ended(pending: content.pending.count))
      broadcast.finish()
    } else if !broadcast.isUnheard {
      // A listener joined after the last one had left.
      begin()
      broadcast.send(.began(count: untried.count))
    }
  }
}
