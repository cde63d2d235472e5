public import Foundation

/// The devices of a building, usable without a network: the list is always available, and changes are delivered
/// eventually.
///
/// The list is stored on disk and joined with recorded changes that are not synced yet. Call `follow()` while a screen
/// is shown, and `networkReturned()` when the system reports a network; everything else is automatic.
public actor DeviceBoard {
  private let client: BackendClient
  private let outbox: DeviceOutbox
  /// The names under which damaged files were set aside when the board was opened.
  public nonisolated let damagedFiles: [URL]
  private var copy: ServerCopy<[Device]>
  private var view: DeviceOutbox.View
  private var sync = SyncStatus.idle
  /// The reasons of the last failed syncs, by device.
  private var failures: [String: RequestError] = [:]
  private var broadcast = Broadcast<ModelState<DeviceList>>()
  private var wakes = Broadcast<Void>()

  /// Opens the board with its stored content.
  ///
  /// - Parameters:
  ///   - client: The client for the devices API.
  ///   - directory: The directory of its files, which is created if it does not exist. It belongs to one board at a
  ///     time.
  /// - Throws: `StorageError`, if a file cannot be read at all.
  public init(_ client: BackendClient, directory: URL) async throws(StorageError) {
    try await self.init(client, ModelDirectory(directory))
  }

  init(_ client: BackendClient, _ directory: ModelDirectory) async throws(StorageError) {
    self.client = client
    let outbox = try DeviceOutbox(
      client, path: directory.file("outbox").path, parallelism: 4, store: directory.store)
    let copy = try ServerCopy(directory.file("devices"), initial: [Device]())
    self.outbox = outbox
    self.copy = copy
    damagedFiles = [copy.damagedFile, outbox.damagedFile].compactMap(\.self)
    view = await outbox.view
  }

  /// The current devices.
  public var state: ModelState<DeviceList> { copy.state(DeviceList(devices: items, sync: sync)) }

  /// The current devices, and the devices after each change.
  public func updates() -> AsyncStream<ModelState<DeviceList>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Records the installation date of a device, or nil if it is not installed. Once this returns, the record survives a
  /// crash.
  ///
  /// - Throws: `StorageError`; then nothing was recorded.
  public func record(_ installationDate: Date?, for deviceID: String) async throws(StorageError) {
    try await outbox.record(installationDate, for: deviceID)
    failures[deviceID] = nil
    await updateView()
    wakes.send(())
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
    let delivered = view.content.delivered
    let refresh = copy.beginRefresh()
    publish()
    do throws(RequestError) {
      let fetched = try await client.perform(client.devices.listing()).fetched
      let isShown = copy.end(refresh, with: fetched.value, at: fetched.date)
      // From here on the list contains them. If that cannot be stored, they are applied twice, which changes nothing.
      if isShown, !delivered.isEmpty { try? await outbox.change { $0.forget(delivered) } }
      await updateView()
      return state
    } catch {
      copy.end(refresh, with: error)
      publish()
      throw error.surfaced
    }
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
    return state.pending
  }

  /// Refreshes and syncs until the task is cancelled: immediately, after each record, after `networkReturned()`, and
  /// after failures at growing intervals from 15 seconds to 4 minutes. While the outcome of a write is unknown, the
  /// intervals do not grow.
  public func follow() async {
    let (stream, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wakes.add(wake) { [weak self] id in Task { await self?.stopWaking(id) } }
    var wakeUps = stream.makeAsyncIterator()
    let clock = client.configuration.clock
    var failedRounds = 0
    while !Task.isCancelled {
      _ = try? await refresh()
      let isDone = view.content.pending.isEmpty ? true : await syncNow().isEmpty
      failedRounds = isDone && copy.failure == nil ? 0 : failedRounds + 1
      guard failedRounds > 0 else {
        guard await wakeUps.next() != nil else { return }
        continue
      }
      let rounds = await outbox.doubts.isEmpty ? failedRounds : 1
      let pause = Self.pause(after: rounds, random: client.configuration.random())
      let timer = Task {
        try await clock.sleep(pause)
        wake.yield()
      }
      let isOver = await wakeUps.next() == nil
      timer.cancel()
      if isOver { return }
    }
  }

  /// Retries failed requests at once if the board is followed; otherwise syncs.
  ///
  /// Call it when the system reports that a network is available again (`NWPathMonitor`).
  public func networkReturned() async {
    guard wakes.isUnheard else { return wakes.send(()) }
    _ = try? await refresh()
    await syncNow()
  }

  static func pause(after rounds: Int, random: Double) -> Duration {
    .seconds(15 * (1 << min(rounds - 1, 4))) * (0.75 + 0.5 * random)
  }

  private var items: [DeviceItem] {
    let delivered = Self.byDevice(view.content.delivered)
    let pending = Self.byDevice(view.content.pending)
    let rejected = Dictionary(view.content.rejected.map { ($0.id, $0) }) { $1 }
    func item(_ id: String, _ device: Device?) -> DeviceItem {
      var device = device
      if let entry = delivered[id] { device?.installationDate = entry.installationDate }
      return DeviceItem(id: id, device: device, change: change(of: id, pending[id], rejected[id]))
    }
    let known = Set(copy.value.map(\.id))
    let others = view.content.pending.map(\.deviceID) + view.content.rejected.map(\.id)
    return copy.value.map { item($0.id, $0) } + others.filter { !known.contains($0) }.map { item($0, nil) }
  }

  private func change(
    of id: String, _ pending: PendingInstallation?, _ rejected: RejectedInstallation?
  ) -> DeviceItem.Change {
    if let pending { return view.sending.contains(id) ? .sending(pending) : .pending(pending, failures[id]) }
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
    let seen = await outbox.view
    if seen.number >= view.number { view = seen }
    publish()
  }

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
  private func stopWaking(_ id: UUID) { wakes.remove(id) }
}
