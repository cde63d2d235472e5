import Foundation

/// A call log that shows at once what its user did, and takes it back where the server disagrees.
///
/// It holds what the server said, and over it the user's intentions that are under way. To roll one back is to drop it.
public actor ActivityFeed {
  private struct Intention {
    let isArchived: Bool
    let number: Int
  }

  private let client: BackendClient
  private var confirmed: [Activity] = []
  private var intentions: [Int: Intention] = [:]
  /// The last write of each call, so that writes of one call go out in their order.
  private var writes: [Int: Task<Result<Activity, RequestError>, Never>] = [:]
  private var lastNumber = 0
  /// Counts what was confirmed, so that a list which was asked for earlier does not take it back.
  private var changes = 0
  private var broadcast = Broadcast<[Activity]>()

  public init(_ client: BackendClient) { self.client = client }

  /// All calls as they are to be shown, the latest first.
  public var activities: [Activity] { confirmed.map(shown) }
  /// Those to show in the inbox.
  public var inbox: [Activity] { activities.filter { !$0.isArchived } }
  public var archive: [Activity] { activities.filter(\.isArchived) }

  /// The list now and after each change.
  public func updates() -> AsyncStream<[Activity]> {
    let (updates, continuation) = AsyncStream.makeStream(of: [Activity].self, bufferingPolicy: .bufferingNewest(1))
    broadcast.add(continuation) { [weak self] id in Task { await self?.stopListening(id) } }
    continuation.yield(activities)
    return updates
  }

  /// Asks for the list. What is shown stays if that fails.
  @discardableResult
  public func refresh() async throws(RequestError) -> [Activity] {
    while true {
      let before = changes
      let list = try await client.activities.list()
      // A write that was confirmed meanwhile is newer than what came; intentions stay on top anyway.
      guard before == changes else { continue }
      confirmed = list
      publish()
      return activities
    }
  }

  /// Asks for one call.
  public func detail(_ id: Int) async throws(RequestError) -> Activity {
    let before = changes
    let activity = try await client.activities.get(id)
    if before == changes { confirm(activity) }
    return shown(activity)
  }

  /// Archives a call, or brings it back: shown at once, and rolled back if the server will not have it.
  ///
  /// Of two intentions for one call the later is shown, and written last. After an unknown outcome the call is read
  /// again.
  ///
  /// - Returns: The call as it is to be shown now.
  /// - Throws: Why it was rolled back. `.unknown` only if reading it again failed too.
  @discardableResult
  public func setArchived(_ isArchived: Bool, for id: Int) async throws(RequestError) -> Activity {
    lastNumber += 1
    let number = lastNumber
    intentions[id] = Intention(isArchived: isArchived, number: number)
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
    if intentions[id]?.number == number {
      intentions[id] = nil
      writes[id] = nil
    }
    switch result {
    case .success(let activity):
      changes += 1
      confirm(activity)
      return shown(activity)
    case .failure(let error):
      publish()
      throw error
    }
  }

  /// Brings every call back to how it was at the start, and asks for the list.
  public func reset() async throws(RequestError) {
    for write in writes.values { _ = await write.value }
    try await client.activities.reset()
    changes += 1
    try await refresh()
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

  private func shown(_ activity: Activity) -> Activity {
    guard let intention = intentions[activity.id] else { return activity }
    var activity = activity
    activity.isArchived = intention.isArchived
    return activity
  }

  private func confirm(_ activity: Activity) {
    if let place = confirmed.firstIndex(where: { $0.id == activity.id }) { confirmed[place] = activity }
    publish()
  }

  private func publish() { broadcast.send(activities) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}
