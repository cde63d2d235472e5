public import Foundation

/// A call log that shows its user's changes at once, and rolls them back if the server refuses them.
///
/// It holds the server's list, which is also stored on disk, and the user's pending changes on top of it. Rolling a
/// change back means dropping it.
public actor ActivityFeed: RefreshedModel {
  private struct Intention {
    let isArchived: Bool
    let number: Int
  }

  /// The number of calls that `archiveAll()` writes at the same time.
  private static let parallelism = 4

  let client: BackendClient
  var copy: ServerCopy<[Activity]>
  private var intentions: [Int: Intention] = [:]
  private var failures: [Int: RequestError] = [:]
  /// The last write of each call; the next write of the same call waits for it.
  private var writes: [Int: Task<Result<Activity, RequestError>, Never>] = [:]
  private var lastNumber = 0
  private var broadcast = Broadcast<ModelState<ActivityLog>>()
  let wakeUps = WakeUps()

  /// Creates the feed. Its stored content is read when it is needed.
  ///
  /// - Parameters:
  ///   - client: The client for the activities API.
  ///   - directory: The directory of its file, which is created if it does not exist.
  public init(_ client: BackendClient, directory: URL) { self.init(client, ModelDirectory(directory)) }

  init(_ client: BackendClient, _ directory: ModelDirectory) {
    self.client = client
    let copy = ServerCopy(directory.file("activities"), initial: [Activity]())
    self.copy = copy
    copy.onChange { [weak self] in Task { await self?.noteChange() } }
  }

  /// The name under which a damaged file was set aside.
  public var damagedFile: URL? { copy.damagedFile }

  /// The current log.
  public var state: ModelState<ActivityLog> { copy.state(ActivityLog(items: copy.value.map(item))) }

  /// The current log, and the log after each change.
  public func updates() -> AsyncStream<ModelState<ActivityLog>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Requests the list. If that fails, the content stays, and the state has the reason.
  @discardableResult
  public func refresh() async throws -> ModelState<ActivityLog> {
    do throws(RequestError) {
      try await fetch(client.activities.listing()) { $0.sorted(by: Activity.isNewer) }
    } catch {
      throw error.surfaced
    }
    return state
  }

  /// Requests the list until the task is cancelled: at once, at this interval, and after `networkReturned()`.
  public func follow(every interval: Duration = .seconds(60)) async {
    await wakeUps.loop(client.configuration.clock, every: interval) { [self] in
      _ = try? await refresh()
      return client.varied(interval)
    }
  }

  /// Requests the list at once, and ends a request that has no response yet. Call it when the system reports that a
  /// network is available again.
  public func networkReturned() async {
    if !wakeUps.send(endingRounds: true) { _ = try? await refresh() }
  }

  /// Requests one call. If there is no usable response, it returns the call as the list has it; `source` is then
  /// `.cache`, and `date` is that of the list.
  ///
  /// - Throws: `RequestError`, if the server refuses the request (404), or the list does not have the call either.
  public func detail(_ id: Int) async throws -> CachedValue<Activity> {
    let before = copy.changeCount
    do throws(RequestError) {
      var fetched = try await client.perform(client.activities.reading(id)).fetched
      if before == copy.changeCount { confirm(fetched.value) }
      fetched.value = item(fetched.value).activity
      return fetched
    } catch {
      guard !error.isFinalRefusal, !error.isCancellation, let date = copy.freshness.date,
        let known = copy.value.first(where: { $0.id == id })
      else { throw error.surfaced }
      return CachedValue(item(known).activity, at: date, from: .cache)
    }
  }

  /// Archives or restores a call: the change is shown at once, and rolled back if the server refuses it.
  ///
  /// Of two changes to one call the later one is shown, and written last. After an unknown outcome the call is read
  /// again.
  ///
  /// - Returns: The call as it is now shown.
  /// - Throws: `RequestError`, the reason for which the change was rolled back; `.unknown` only if reading the call
  ///   again failed, too.
  @discardableResult
  public func setArchived(_ isArchived: Bool, for id: Int) async throws -> Activity {
    let number = intend(isArchived, id)
    publish()
    let earlier = writes[id]
    let write = Task { [client] in
      _ = await earlier?.value
      return await Self.write(isArchived, id, client)
    }
    writes[id] = write
    let result = await withTaskCancellationHandler {
      await write.value
    } onCancel: {
      write.cancel()
    }
    let isNewest = intentions[id]?.number == number
    if isNewest {
      intentions[id] = nil
      writes[id] = nil
    }
    switch result {
    case .success(let activity):
      confirm(activity)
      return item(activity).activity
    case .failure(let error):
      if isNewest, !error.isCancellation { failures[id] = error }
      publish()
      throw error.surfaced
    }
  }

  /// Archives all calls of the inbox: all changes are shown at once, and each is rolled back separately if the server
  /// refuses it. The state has the reason for each.
  ///
  /// - Returns: The calls that were rolled back.
  @discardableResult
  public func archiveAll() async -> [ActivityItem] {
    let numbers = state.inbox.map { ($0.id, intend(true, $0.id)) }
    publish()
    await withTaskGroup(of: Void.self) { group in
      for (index, (id, number)) in numbers.enumerated() {
        if index >= Self.parallelism { await group.next() }
        group.addTask { await self.archive(id, ifNewest: number) }
      }
    }
    let ids = Set(numbers.map(\.0))
    return state.inbox.filter { ids.contains($0.id) && $0.failure != nil }
  }

  /// Archives a call, unless its user has changed it again. The state has the reason of a failure.
  private func archive(_ id: Int, ifNewest number: Int) async {
    if intentions[id]?.number == number { _ = try? await setArchived(true, for: id) }
  }

  /// Resets all calls to their initial state, and requests the list.
  public func reset() async throws {
    for write in writes.values { _ = await write.value }
    try await client.activities.reset()
    failures = [:]
    copy.change { _ in }
    try await refresh()
  }

  private func intend(_ isArchived: Bool, _ id: Int) -> Int {
    lastNumber += 1
    intentions[id] = Intention(isArchived: isArchived, number: lastNumber)
    failures[id] = nil
    return lastNumber
  }

  /// Writes a call and, after an unknown outcome, reads it.
  private static func write(
    _ isArchived: Bool, _ id: Int, _ client: BackendClient
  ) async -> Result<Activity, RequestError> {
    do throws(RequestError) {
      return .success(try await client.perform(client.activities.archiving(isArchived, id)).value)
    } catch {
      guard case .unknown = error, !error.isCancellation, let activity = try? await client.activities.get(id),
        activity.isArchived == isArchived
      else { return .failure(error) }
      return .success(activity)
    }
  }

  private func item(_ activity: Activity) -> ActivityItem {
    var item = ActivityItem(activity: activity, failure: failures[activity.id])
    guard let intention = intentions[activity.id] else { return item }
    item.activity.isArchived = intention.isArchived
    item.isChanging = true
    return item
  }

  private func confirm(_ activity: Activity) {
    copy.change(confirmedAt: nil) { activities in
      if let index = activities.firstIndex(where: { $0.id == activity.id }) { activities[index] = activity }
    }
    publish()
  }

  private func noteChange() {
    copy.countOthersChange()
    publish()
  }

  func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
