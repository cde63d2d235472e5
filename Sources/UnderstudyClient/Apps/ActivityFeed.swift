public import Foundation

/// A call log that shows at once what its user did, and takes it back where the server disagrees.
///
/// It holds what the server said, on disk too, and over it the user's intentions that are under way. To roll one back is
/// to drop it.
public actor ActivityFeed {
  private struct Intention {
    let isArchived: Bool
    let number: Int
  }

  /// The number of calls that `archiveAll()` writes at the same time.
  private static let parallelism = 4

  private let client: BackendClient
  /// The name under which a file was set aside that could not be understood when the feed was opened.
  public nonisolated let damagedFile: URL?
  private var copy: ServerCopy<[Activity]>
  private var intentions: [Int: Intention] = [:]
  private var failures: [Int: RequestError] = [:]
  /// The last write of each call, so that writes of one call go out in their order.
  private var writes: [Int: Task<Result<Activity, RequestError>, Never>] = [:]
  private var lastNumber = 0
  private var broadcast = Broadcast<ModelState<ActivityLog>>()

  /// Opens the log as it was last known.
  ///
  /// - Parameters:
  ///   - client: Asks the activities API.
  ///   - directory: The directory of its file, which is made if there is none.
  public init(_ client: BackendClient, directory: URL) throws(StorageError) {
    try self.init(client, ModelDirectory(directory))
  }

  init(_ client: BackendClient, _ directory: ModelDirectory) throws(StorageError) {
    self.client = client
    let copy = try ServerCopy(directory.file("activities"), initial: [Activity]())
    self.copy = copy
    damagedFile = copy.damagedFile
  }

  /// The log now.
  public var state: ModelState<ActivityLog> { copy.state(ActivityLog(items: copy.value.map(item))) }

  /// The log now and after each change.
  public func updates() -> AsyncStream<ModelState<ActivityLog>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Asks for the list. What is shown stays if that fails, and the state has the reason.
  @discardableResult
  public func refresh() async throws(RequestError) -> ModelState<ActivityLog> {
    while true {
      let refresh = copy.beginRefresh()
      publish()
      do throws(RequestError) {
        let fetched = try await client.activities.fetchList()
        // A write that was confirmed meanwhile is newer than what came; intentions stay on top anyway.
        guard refresh.changeCount == copy.changeCount else {
          copy.drop(refresh)
          continue
        }
        copy.end(refresh, with: fetched.value.sorted(by: Activity.isNewer), at: fetched.date)
        publish()
        return state
      } catch {
        copy.end(refresh, with: error)
        publish()
        throw error
      }
    }
  }

  /// Asks for one call.
  public func detail(_ id: Int) async throws(RequestError) -> Activity {
    let before = copy.changeCount
    let activity = try await client.activities.get(id)
    if before == copy.changeCount { confirm(activity) }
    return item(activity).activity
  }

  /// Archives a call, or brings it back: shown at once, and rolled back if the server will not have it.
  ///
  /// Of two intentions for one call the later is shown, and written last. After an unknown outcome the call is read
  /// again.
  ///
  /// - Returns: The call as it is to be shown now.
  /// - Throws: The reason for which it was rolled back. `.unknown` only if reading it again failed, too.
  @discardableResult
  public func setArchived(_ isArchived: Bool, for id: Int) async throws(RequestError) -> Activity {
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
      throw error
    }
  }

  /// Archives all calls of the inbox: all are shown at once, and each is rolled back by itself if the server will not
  /// have it. The state has the reason of each.
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

  /// Archives a call, unless its user wants something else by now. The state has the reason of a failure.
  private func archive(_ id: Int, ifNewest number: Int) async {
    if intentions[id]?.number == number { _ = try? await setArchived(true, for: id) }
  }

  /// Brings every call back to how it was at the start, and asks for the list.
  public func reset() async throws(RequestError) {
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

  /// Writes, and after an unknown outcome reads what stands.
  private static func write(
    _ isArchived: Bool, _ id: Int, _ client: BackendClient
  ) async -> Result<Activity, RequestError> {
    do throws(RequestError) {
      return .success(try await client.activities.setArchived(isArchived, for: id))
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

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
