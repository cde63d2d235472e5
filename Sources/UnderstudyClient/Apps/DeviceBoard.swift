public import Foundation

/// The devices of a building, usable without a network: the list is always available, and changes are delivered
/// eventually.
///
/// The list is stored on disk and joined with recorded changes that are not synced yet. Call `follow()` while a screen
/// is shown, and `networkReturned()` when the system reports a network; everything else is automatic.
public actor DeviceBoard: RefreshedModel {
  let client: BackendClient
  private let outbox: DeviceOutbox
  var copy: ServerCopy<[Device]>
  /// Nil before the outbox was read.
  private var view: DeviceOutbox.View?
  private var sync = SyncStatus.idle
  /// The reasons of the last failed syncs, by device.
  private var failures: [String: RequestError] = [:]
  private var broadcast = Broadcast<ModelState<DeviceList>>()
  let wakeUps = WakeUps()
  /// The revision of the newest record that was known at the last wake-up of `follow()`.
  private var newestRevision = 0
  /// The number of rounds in a row of `follow()` that failed.
  private var failedRoundCount = 0

  /// Creates the board. Its stored content is read when it is needed.
  ///
  /// - Parameters:
  ///   - client: The client for the devices API.
  ///   - directory: The directory of its files, which is created if it does not exist.
  public init(_ client: BackendClient, directory: URL) { self.init(client, ModelDirectory(directory)) }

  init(_ client: BackendClient, _ directory: ModelDirectory) {
    self.client = client
    let outbox = DeviceOutbox(client, path: directory.file("outbox").path, parallelism: 4, store: directory.store)
    self.outbox = outbox
    let copy = ServerCopy(directory.file("devices"), initial: [Device]())
    self.copy = copy
    let noteChange: @Sendable () -> Void = { [weak self] in Task { await self?.noteChange() } }
    copy.onChange(noteChange)
    outbox.stored.onChange(noteChange)
  }

  /// The names under which damaged files were set aside.
  public var damagedFiles: [URL] {
    get async { [copy.damagedFile, await outbox.damagedFile].compactMap(\.self) }
  }

  /// The current devices.
  public var state: ModelState<DeviceList> {
    get async {
      if view == nil { await updateView() }
      return shown
    }
  }

  /// The devices as far as the outbox was read.
  private var shown: ModelState<DeviceList> {
    var state = copy.state(DeviceList(devices: items, sync: sync))
    state.storageError = state.storageError ?? view?.failure
    return state
  }

  /// The current devices, and the devices after each change.
  public func updates() async -> AsyncStream<ModelState<DeviceList>> {
    broadcast.stream(from: await state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Records the installation date of a device, or nil if it is not installed. Once this returns, the record survives a
  /// crash.
  ///
  /// - Throws: `StorageError`; then nothing was recorded.
  public func record(_ installationDate: Date?, for deviceID: String) async throws(StorageError) {
    try await outbox.record(installationDate, for: deviceID)
    failures[deviceID] = nil
    await updateView()
    wakeForRecords()
  }

  /// Discards a recorded change. If it is being sent at this moment, it may still reach the server.
  public func withdraw(_ deviceID: String) async throws(StorageError) {
    try await outbox.withdraw(deviceID)
    await updateView()
  }

  /// Discards a change that the server refused.
  public func dismissRejected(_ deviceID: String) async throws(StorageError) {
    try await outbox.dismissRejected(deviceID)
    await updateView()
  }

  /// Requests the list. If that fails, the content stays, and the state has the reason.
  @discardableResult
  public func refresh() async throws -> ModelState<DeviceList> {
    await updateView()
    let delivered = view?.content.delivered ?? []
    do throws(RequestError) {
      let isShown = try await fetch(client.devices.listing())
      // From here on the list contains them. If that cannot be stored, they are applied twice, which changes nothing.
      if isShown, !delivered.isEmpty { try? await outbox.change { $0.forget(delivered) } }
    } catch {
      throw error.surfaced
    }
    await updateView()
    return shown
  }

  /// Sends pending changes to the server, or joins a running sync. Cancelling the task ends the sync, unless `follow()`
  /// or another caller also waits for it.
  @discardableResult
  public func syncNow() async -> [DeviceItem] {
    for await event in await outbox.sync() {
      record(event)
      await updateView()
    }
    sync = .idle
    await updateView()
    return shown.pending
  }

  /// Refreshes and syncs until the task is cancelled: at once, at this interval, after each record on this directory,
  /// after `networkReturned()`, and after failures at growing intervals from 15 seconds to 4 minutes. While the outcome
  /// of a write is unknown, the intervals do not grow.
  public func follow(every interval: Duration = .seconds(60)) async {
    // Another screen that joins does not shorten the waits of the one that requests.
    if wakeUps.followerCount == 0 { failedRoundCount = 0 }
    await wakeUps.loop(client.configuration.clock, every: interval) { [self] in await followOnce(every: interval) }
  }

  /// - Returns: The pause until the next time.
  private func followOnce(every interval: Duration) async -> Duration {
    _ = try? await refresh()
    let isDone = shown.pending.isEmpty ? true : await syncNow().isEmpty
    // A round that `networkReturned()` has ended did not fail.
    if Task.isCancelled { return .zero }
    failedRoundCount = isDone && copy.failure == nil ? 0 : failedRoundCount + 1
    guard failedRoundCount > 0 else { return client.varied(interval) }
    let rounds = await outbox.doubts.isEmpty ? failedRoundCount : 1
    return Self.pause(after: rounds, random: client.configuration.random())
  }

  /// Refreshes and syncs at once, and ends requests that have no response yet.
  ///
  /// Call it when the system reports that a network is available again (`NWPathMonitor`).
  public func networkReturned() async {
    guard !wakeUps.send(endingRounds: true) else { return }
    _ = try? await refresh()
    await syncNow()
  }

  static func pause(after rounds: Int, random: Double) -> Duration {
    .seconds(15 * (1 << min(rounds - 1, 4))) * (0.75 + 0.5 * random)
  }

  private var items: [DeviceItem] {
    guard let view else { return copy.value.map { DeviceItem(id: $0.id, device: $0) } }
    let delivered = Self.byDevice(view.content.delivered)
    let pending = Self.byDevice(view.content.pending)
    let rejected = Dictionary(view.content.rejected.map { ($0.id, $0) }) { $1 }
    func item(_ id: String, _ device: Device?) -> DeviceItem {
      var device = device
      if let entry = delivered[id] { device?.installationDate = entry.installationDate }
      let isSending = view.sending.contains(id)
      return DeviceItem(
        id: id, device: device, change: change(of: id, pending[id], isSending: isSending, rejected[id]))
    }
    let known = Set(copy.value.map(\.id))
    let others = view.content.pending.map(\.deviceID) + view.content.rejected.map(\.id)
    return copy.value.map { item($0.id, $0) } + others.filter { !known.contains($0) }.map { item($0, nil) }
  }

  private func change(
    of id: String, _ pending: PendingInstallation?, isSending: Bool, _ rejected: RejectedInstallation?
  ) -> DeviceItem.Change {
    if let pending { return isSending ? .sending(pending) : .pending(pending, failures[id]) }
    return rejected.map { .rejected($0) } ?? .none
  }

  private static func byDevice(_ entries: [PendingInstallation]) -> [String: PendingInstallation] {
    Dictionary(entries.map { ($0.deviceID, $0) }) { $1 }
  }

  private func record(_ event: SyncEvent) {
    switch event {
    case .began(let count): sync = .sending(done: 0, of: count)
    case .sending(let id): failures[id] = nil
    case .resting(let duration):
      sync = .resting(until: client.configuration.clock.date() + duration.inSeconds)
    case .finished(let id, let outcome, let done, let total):
      sync = .sending(done: done, of: total)
      if case .pending(let error) = outcome, !error.isCancellation { failures[id] = error }
    case .ended: sync = .idle
    }
  }

  /// Updates the displayed outbox. Views may arrive in another order than that in which they were taken.
  private func updateView() async {
    let seen = await outbox.makeView()
    if view.map({ seen.number >= $0.number }) ?? true { view = seen }
    publish()
  }

  /// Shows what another board has changed, and syncs what it has recorded.
  private func noteChange() async {
    copy.countOthersChange()
    await updateView()
    wakeForRecords()
  }

  private func wakeForRecords() {
    guard let newest = view?.content.pending.map(\.revision).max(), newest > newestRevision else { return }
    newestRevision = newest
    wakeUps.send()
  }

  func publish() { broadcast.send(shown) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
