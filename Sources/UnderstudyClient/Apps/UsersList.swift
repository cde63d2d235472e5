import Foundation

/// All users except the owner, the last first.
public struct UsersList: Sendable, Hashable {
  public var users: [User]

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

  public init(_ error: RequestError) {
    self =
      switch (error, error.obstacle) {
      case (_, .cancelled): .cancelled
      case (.rejected(let rejection), _): .server(rejection)
      case (_, .unreadable): .invalidResponse(error)
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
  public func fetchUsers(ownerID: String) async throws(RequestError) -> [User] {
    UserChoices(ownerID: ownerID, all: try await users.fetchAll().value).others
  }

  /// Fetches all users except one, the last first, and calls the completion handler once, on an unspecified queue.
  ///
  /// - Parameters:
  ///   - ownerID: The id, as text, of the user to leave out: the app's own.
  ///   - completion: Receives the list, or the reason for which there is none.
  /// - Returns: The task, which can be cancelled.
  @discardableResult
  public func fetchUsers(
    ownerID: String, completion: @escaping @Sendable (Result<UsersList, FetchError>) -> Void
  ) -> Task<Void, Never> {
    Task {
      do throws(RequestError) {
        completion(.success(UsersList(users: try await fetchUsers(ownerID: ownerID))))
      } catch {
        completion(.failure(FetchError(error)))
      }
    }
  }
}
