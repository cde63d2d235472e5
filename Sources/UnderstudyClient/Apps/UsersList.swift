import Foundation

/// All users except the owner, the last first.
public struct UsersList: Sendable, Hashable {
  /// The users, the last first.
  public var users: [User]

  /// Creates a list.
  public init(users: [User]) { self.users = users }
}

/// The reason for which the list of users is not available.
public enum FetchError: Error, Sendable, Hashable {
  /// The task was cancelled.
  case cancelled
  /// The server could not be reached, or its response was lost.
  case network(RequestError)
  /// The server responded with an error.
  case server(Rejection)
  /// The response is not a list of users.
  case invalidResponse(RequestError)

  /// Creates the reason of a failed request.
  public init(_ error: RequestError) {
    self =
      switch (error, error.obstacle) {
      case (_, .cancelled): .cancelled
      case (.rejected(let rejection), _): .server(rejection)
      case (_, .unreadable), (_, .webPage): .invalidResponse(error)
      default: .network(error)
      }
  }

  /// The failure of the request; nil if it was cancelled.
  public var requestError: RequestError? {
    switch self {
    case .cancelled: nil
    case .network(let error), .invalidResponse(let error): error
    case .server(let rejection): .rejected(rejection)
    }
  }
}

extension BackendClient {
  /// Returns all users except one, the last first.
  ///
  /// - Parameter ownerID: The id, as text, of the user to leave out: the app's own.
  public func fetchUsers(ownerID: String) async throws -> [User] {
    do throws(RequestError) {
      return UserChoices(ownerID: ownerID, all: try await users.fetchAll().value).others
    } catch {
      throw error.surfaced
    }
  }

  /// Fetches all users except one, the last first, and calls one of the two closures, once.
  ///
  /// The closure is called on the actor of the caller, such as the main actor of a screen; if the caller has none, on the
  /// main actor. The closures need not be `Sendable`: as `sending` ones they could not capture the state of an actor. So
  /// for a caller without an actor the compiler does not check that only the main actor uses what they capture.
  ///
  /// - Parameters:
  ///   - ownerID: The id, as text, of the user to leave out: the app's own.
  ///   - isolation: The caller's actor.
  ///   - success: Receives the list.
  ///   - failure: Receives the reason for which there is no list.
  /// - Returns: The task, which can be cancelled.
  @discardableResult
  public func fetchUsers(
    ownerID: String, isolation: isolated (any Actor)? = #isolation, success: @escaping (UsersList) -> Void,
    failure: @escaping (FetchError) -> Void
  ) -> Task<Void, Never> {
    let handlers = FetchHandlers(success: success, failure: failure)
    return Task {
      let result: Result<UsersList, FetchError>
      do throws(RequestError) {
        let choices = UserChoices(ownerID: ownerID, all: try await users.fetchAll().value)
        result = .success(UsersList(users: choices.others))
      } catch {
        result = .failure(FetchError(error))
      }
      await handlers.call(with: result, on: isolation ?? MainActor.shared)
    }
  }
}

/// The closures of a caller. They need not be `Sendable`, because they are called on the actor of the caller.
private struct FetchHandlers: @unchecked Sendable {
  let success: (UsersList) -> Void
  let failure: (FetchError) -> Void

  func call(with result: Result<UsersList, FetchError>, on actor: isolated any Actor) {
    switch result {
    case .success(let list): success(list)
    case .failure(let error): failure(error)
    }
  }
}
