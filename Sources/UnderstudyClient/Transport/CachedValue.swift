public import Foundation

/// A value with its freshness.
public struct CachedValue<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// The time at which the server last confirmed it.
  public var date: Date
  /// The origin of the value.
  public var source: Source

  /// Creates a value with its freshness.
  public init(_ value: Value, at date: Date, from source: Source) {
    self.value = value
    self.date = date
    self.source = source
  }

  /// The origin of a value.
  public enum Source: Sendable, Hashable {
    /// The server has just sent it.
    case network
    /// The server has just confirmed that the copy is current (304).
    case revalidated
    /// A copy, used without a request.
    case cache
  }
}

extension CachedValue: Equatable where Value: Equatable {}
