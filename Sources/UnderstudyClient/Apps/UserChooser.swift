public import Foundation

/// A list of users with the owner first. Of two quick choices the later one wins.
public actor UserChooser {
  private let client: BackendClient
  private var copy: ServerCopy<UserChoices>
  private var request: Task<Result<CachedValue<[User]>, RequestError>, Never>?
  private var choiceCount = 0
  private var broadcast = Broadcast<ModelState<UserChoices>>()
  let wakeUps = WakeUps()

  /// Creates the list. Its stored content is read when it is needed.
  ///
  /// - Parameters:
  ///   - client: The client for the users API.
  ///   - directory: The directory of its file, which is created if it does not exist.
  public init(_ client: BackendClient, directory: URL) { self.init(client, ModelDirectory(directory)) }

  init(_ client: BackendClient, _ directory: ModelDirectory) {
    self.client = client
    let copy = ServerCopy(directory.file("users"), initial: UserChoices())
    self.copy = copy
    copy.onChange { [weak self] in Task { await self?.noteChange() } }
  }

  /// The name under which a damaged file was set aside.
  public var damagedFile: URL? { copy.damagedFile }

  /// The current users.
  public var state: ModelState<UserChoices> { copy.state(copy.value) }

  /// The current users, and those after each change.
  public func updates() -> AsyncStream<ModelState<UserChoices>> {
    broadcast.stream(from: state) { [weak self] id in Task { await self?.stopListening(id) } }
  }

  /// Makes a user the owner, which is shown at once, and requests the list. A pending request of an earlier choice is
  /// cancelled.
  ///
  /// - Parameter ownerID: The id of the user, as text.
  /// - Throws: `RequestError`, the reason for which there is no newer list. A choice that was superseded by a later one
  ///   throws `CancellationError`, and changes nothing.
  @discardableResult
  public func choose(ownerID: String) async throws -> ModelState<UserChoices> {
    copy.change { $0.ownerID = ownerID }
    return try await ask()
  }

  /// Requests the list again.
  @discardableResult
  public func refresh() async throws -> ModelState<UserChoices> { try await ask() }

  /// Requests the list until the task is cancelled: at once, at this interval, and after `networkReturned()`. The
  /// service allows twelve hours for the use of a copy.
  public func follow(every interval: Duration = .seconds(43_200)) async {
    await wakeUps.loop(client.configuration.clock, every: interval) { [self] in
      _ = try? await refresh()
      // Without a list, the next attempt is not half a day away.
      return client.varied(await copy.failure == nil ? interval : min(interval, .seconds(60)))
    }
  }

  /// Requests the list at once, and ends a request that has no response yet. Call it when the system reports that a
  /// network is available again.
  public func networkReturned() async {
    if !wakeUps.send(endingRounds: true) { _ = try? await refresh() }
  }

  private func ask() async throws -> ModelState<UserChoices> {
    request?.cancel()
    choiceCount += 1
    let choice = choiceCount
    let refresh = copy.beginRefresh()
    publish()
    let task = Task { [client] () -> Result<CachedValue<[User]>, RequestError> in
      do throws(RequestError) {
        return .success(try await client.users.fetchAll())
      } catch {
        return .failure(error)
      }
    }
    request = task
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    defer { publish() }
    // A response that arrived just before its request was cancelled is discarded, too.
    guard choice == choiceCount else {
      copy.drop(refresh)
      throw CancellationError()
    }
    request = nil
    switch result {
    case .success(let fetched):
      copy.end(refresh, at: fetched.date) { $0.all = fetched.value }
      return state
    case .failure(let error):
      copy.end(refresh, with: error)
      throw error.surfaced
    }
  }

  private func noteChange() {
    copy.countOthersChange()
    publish()
  }

  private func publish() { broadcast.send(state) }

  private func stopListening(_ id: UUID) { broadcast.remove(id) }
}

/// The users of a service, one of whom may be the owner.
public struct UserChoices: Sendable, Hashable, Codable {
  /// The id, as text, of the chosen owner; nil before the first choice.
  public var ownerID: String?
  /// All users in the service's order.
  var all: [User]

  /// Creates a list, for previews.
  ///
  /// - Parameters:
  ///   - ownerID: The id, as text, of the owner.
  ///   - all: All users in the service's order.
  public init(ownerID: String? = nil, all: [User] = []) {
    self.ownerID = ownerID
    self.all = all
  }

  /// The owner; nil if no user has that id.
  public var owner: User? { all.first { String($0.id) == ownerID } }
  /// All users except the owner, the last first.
  public var others: [User] { all.reversed().filter { String($0.id) != ownerID } }
  /// The users to choose from: the owner first, then the others.
  public var users: [User] { (owner.map { [$0] } ?? []) + others }
}
