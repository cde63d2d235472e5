public import Foundation

/// The state of a model, ready for a screen: its content, the content's age, and the course of the last refresh.
///
/// The content's own properties are read directly: `state.devices` is `state.content.devices`.
@dynamicMemberLookup
public struct ModelState<Content: Sendable>: Sendable {
  public var content: Content
  public var freshness: Freshness
  /// True while the server is being asked for the content.
  public var isRefreshing: Bool
  /// The reason for which the last refresh failed; nil after one that succeeded.
  public var failure: RequestError?
  /// The reason for which the content could not be stored on disk; nil if it was stored.
  public var storageError: StorageError?

  public init(
    content: Content, freshness: Freshness, isRefreshing: Bool = false, failure: RequestError? = nil,
    storageError: StorageError? = nil
  ) {
    self.content = content
    self.freshness = freshness
    self.isRefreshing = isRefreshing
    self.failure = failure
    self.storageError = storageError
  }

  public subscript<Member>(dynamicMember path: KeyPath<Content, Member>) -> Member { content[keyPath: path] }
}

extension ModelState: Equatable where Content: Equatable {}

/// The age of what a screen shows.
public enum Freshness: Sendable, Hashable {
  /// The server never answered.
  case unknown
  /// It was read from the disk; the server vouched for it at this moment, in an earlier run of the app.
  case stored(Date)
  /// The server vouched for it at this moment.
  case confirmed(Date)

  /// The moment at which the server last vouched for the content; nil if it never did.
  public var date: Date? {
    switch self {
    case .unknown: nil
    case .stored(let date), .confirmed(let date): date
    }
  }
}
