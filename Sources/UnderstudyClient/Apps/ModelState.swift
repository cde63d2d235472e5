public import Foundation

/// The state of a model for display: its content, the age of the content, and the state of the last refresh.
///
/// The content's properties are available directly: `state.devices` is `state.content.devices`.
@dynamicMemberLookup
public struct ModelState<Content: Sendable>: Sendable {
  /// The content as displayed.
  public var content: Content
  /// The age of the content.
  public var freshness: Freshness
  /// True while the content is being requested.
  public var isRefreshing: Bool
  /// The reason for which the last refresh failed; nil after a successful one.
  public var failure: RequestError?
  /// The reason for which the content could not be stored on disk; nil if it was stored.
  public var storageError: StorageError?

  /// Creates a state: by default, that of a screen before it has the first state of its model.
  public init(
    content: Content, freshness: Freshness = .loading, isRefreshing: Bool = false, failure: RequestError? = nil,
    storageError: StorageError? = nil
  ) {
    self.content = content
    self.freshness = freshness
    self.isRefreshing = isRefreshing
    self.failure = failure
    self.storageError = storageError
  }

  /// Returns a property of the content.
  public subscript<Member>(dynamicMember path: KeyPath<Content, Member>) -> Member { content[keyPath: path] }
}

extension ModelState: Equatable where Content: Equatable {}

/// The age of the displayed content.
public enum Freshness: Sendable, Hashable {
  /// The stored content has not been read yet.
  case loading
  /// The server never answered.
  case unknown
  /// Read from the disk; the server confirmed it at this time, in an earlier run of the app.
  case stored(Date)
  /// The server confirmed it at this time.
  case confirmed(Date)

  /// The time at which the server last confirmed the content; nil if it never did.
  public var date: Date? {
    switch self {
    case .loading, .unknown: nil
    case .stored(let date), .confirmed(let date): date
    }
  }
}
