import Foundation

/// The calls of a company, for display, the newest first.
public struct ActivityLog: Sendable, Hashable {
  /// The calls with the state of their archiving.
  public var items: [ActivityItem]

  /// Creates a log, for previews.
  public init(items: [ActivityItem] = []) { self.items = items }

  /// All calls as displayed.
  public var activities: [Activity] { items.map(\.activity) }
  /// The calls that are not archived.
  public var inbox: [ActivityItem] { items.filter { !$0.activity.isArchived } }
  /// The calls that are archived.
  public var archive: [ActivityItem] { items.filter(\.activity.isArchived) }
}

/// A call in the log, with the state of its archiving.
public struct ActivityItem: Sendable, Hashable, Identifiable {
  /// The call as displayed: a pending change counts as made.
  public var activity: Activity
  /// True while the call is being archived or restored.
  public var isChanging: Bool
  /// The reason for which the last change was rolled back, until the next change.
  public var failure: RequestError?

  public var id: Int { activity.id }

  /// Creates a call of the log, for previews.
  public init(activity: Activity, isChanging: Bool = false, failure: RequestError? = nil) {
    self.activity = activity
    self.isChanging = isChanging
    self.failure = failure
  }
}

extension Activity {
  /// True if the call was not answered.
  public var isMissed: Bool { callType == .missed }
  /// True if the call came from outside; false if a colleague made it.
  public var isInbound: Bool { direction == .inbound }

  /// The other party: the caller of an inbound call, or the callee of an outbound one; nil if the service gives none.
  public var counterpart: String? { isInbound ? from : to }

  /// The called line or the calling colleague: «on Support FR», «made by Jonathan Anguelov».
  public var caption: String { isInbound ? "on \(via)" : "made by \(from)" }

  /// Returns true if `one` precedes `other` in a log: by time, newest first, then by the higher id.
  static func isNewer(_ one: Activity, _ other: Activity) -> Bool {
    let (date, otherDate) = (one.createdAt.date ?? .distantPast, other.createdAt.date ?? .distantPast)
    return (date, one.id) > (otherDate, other.id)
  }
}
