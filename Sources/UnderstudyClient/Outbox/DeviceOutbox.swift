public import Foundation

/// Records installations where there is no network, and brings them to the server when there is one.
///
/// What `record` has returned from survives a crash. There is one pending change for a device: the newest. The server
/// is read before each write, and the write holds only for what was read (`If-Match`); so a write of unknown outcome is
/// never repeated blindly, and a late one cannot overtake its successor.
public actor DeviceOutbox {
  let client: BackendClient
  /// How many devices are written at the same time.
  public nonisolated let parallelism: Int
  /// Where a file that could not be understood was set aside when this outbox was opened.
  public nonisolated let damagedFile: URL?
  private let file: DurableFile
  private(set) var content: OutboxContent
  private var broadcast = Broadcast<SyncEvent>()
  private var run: Task<Void, Never>?
  var progress = SyncProgress()
  var rests = Rests()
  /// The number of changes that a view may show.
  private var viewNumber = 0

  /// Opens the outbox, or makes it.
  ///
  /// - Parameters:
  ///   - client: Brings the installations to the devices API.
  ///   - url: Its file; the directory must exist. One file belongs to one outbox at a time.
  ///   - parallelism: How many devices are written at the same time.
  /// - Throws: `StorageError`, when there is a file that cannot be read at all. A damaged one is set aside instead.
  public init(_ client: BackendClient, file url: URL, parallelism: Int = 4) throws(StorageError) {
    try self.init(client, path: url.path, parallelism: parallelism, store: DiskFileStore())
  }

  init(_ client: BackendClient, path: String, parallelism: Int, store: any FileStore) throws(StorageError) {
    self.client = client
    self.parallelism = max(1, parallelism)
    file = DurableFile(path: path, kind: "understudy-outbox", store: store)
    let loaded = try file.load(as: OutboxContent.self)
    content = loaded.value ?? OutboxContent()
    damagedFile = loaded.setAside.map { URL(fileURLWithPath: $0) }
  }

  /// What the server does not have yet, the oldest first.
  public var pending: [PendingInstallation] { content.pending }
  /// What the server will not have.
  public var rejected: [RejectedInstallation] { content.rejected }

  /// Records when a device was installed, or with nil that it is not. It replaces what was pending for the device.
  ///
  /// - Throws: `StorageError`; then nothing was recorded.
  public func record(_ installationDate: Date?, for deviceID: String) throws(StorageError) {
    try change { content in
      content.record(installationDate.map { SentDate($0) }, for: deviceID, at: client.configuration.clock.date())
    }
  }

  /// Forgets a pending change. What is under way at this moment may reach the server all the same.
  public func withdraw(_ deviceID: String) throws(StorageError) {
    try change { $0.withdraw(deviceID) }
  }

  /// Forgets a rejected installation.
  public func dismissRejected(_ deviceID: String) throws(StorageError) {
    try change { $0.dismiss(deviceID) }
  }

  /// Changes the content, on disk first.
  func change(_ body: (inout OutboxContent) -> Void) throws(StorageError) {
    var next = content
    body(&next)
    guard next != content else { return }
    try file.save(value: next)
    content = next
    viewNumber += 1
    progress.wake?.yield()
  }

  /// The part of the outbox that a model shows. Of two views the one with the higher number is the newer.
  struct View: Sendable {
    let number: Int
    let content: OutboxContent
    let sending: Set<String>
  }

  var view: View { View(number: viewNumber, content: content, sending: progress.active) }

  /// Writes what is pending to the server, several devices at a time, and tells how it goes.
  ///
  /// While a sync runs, this joins it, and has it try again what it has tried in vain. What is recorded meanwhile is
  /// taken along. The sync is cancelled when nobody listens any more; what was under way then stays pending. A cancelled
  /// one is not joined: the next begins as soon as it has come to its end.
  ///
  /// However often this is called, a device that a server was asked about in vain is left alone for ten to fifteen
  /// seconds, which the sync waits out (`SyncEvent.resting`). What could not even be sent is tried at once. Cancelling
  /// the sync ends these waits.
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

  /// Writes what is pending, and returns what is still pending afterwards.
  @discardableResult
  public func syncToTheEnd() async -> [PendingInstallation] {
    for await _ in sync() {}
    return pending
  }

  /// Tells whoever listens to the sync of this task: to a cancelled one nobody does, only to the next.
  func tell(_ event: SyncEvent) {
    viewNumber += 1
    if !Task.isCancelled { broadcast.send(event) }
  }

  private func stopListening(_ id: UUID) {
    broadcast.remove(id)
    if broadcast.isUnheard { run?.cancel() }
  }

  private func runToTheEnd() async {
    repeat { await serveAll() } while !untried.isEmpty && !Task.isCancelled
    run = nil
    // A user who cancels and begins anew does not wait for what the cancelled sync had to wait for.
    if Task.isCancelled { rests = Rests() }
    if !Task.isCancelled {
      tell(.ended(pending: content.pending.count))
      broadcast.finish()
    } else if !broadcast.isUnheard {
      // Somebody came after the last listener had gone.
      begin()
      broadcast.send(.began(count: untried.count))
    }
  }
}
