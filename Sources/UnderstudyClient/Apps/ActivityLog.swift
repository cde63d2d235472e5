import Foundation

/// A company's calls, as a screen shows them, the newest first.
public struct ActivityLog: Sendable, Hashable {
  public var items: [ActivityItem]

  public init(items: [ActivityItem] = []) { self.items = items }

  /// All calls as they are to be shown.
  public var activities: [Activity] { items.map(\.activity) }
  /// The calls that are not archived.
  public var inbox: [ActivityItem] { items.filter { !$0.activity.isArchived } }
  public var archive: [ActivityItem] { items.filter(\.activity.isArchived) }
}

/// A call in the log, with the course of its archiving.
public struct ActivityItem: Sendable, Hashable, Identifiable {
  /// The call as it is to be shown: a change that is under way counts as made.
  public var activity: Activity
  /// True while the call is being archived or brought back.
  public var isChanging: Bool
  /// The reason for which the last change was rolled back, until there is another.
  public var failure: RequestError?

  public var id: Int { activity.id }

  public init(activity: Activity, isChanging: Bool = false, failure: RequestError? = nil) {
    self.activity = activity
    self.isChanging = isChanging
    self.failure = failure
  }
}

extension Activity {
  public var isMissed: Bool { callType == .missed }
  public var isInbound: Bool { direction == .inbound }

  /// The other party: the caller of an inbound call, else the one who was called; nil where the service names none.
  public var counterpart: String? { isInbound ? from : to }

  /// The line that was called, or the colleague who called: «on Support FR», «made by Jonathan Anguelov».
  public var caption: String { isInbound ? "on \(via)" : "made by \(from)" }

  /// The order of a log: the newest first, and of one moment the highest number.
  static func isNewer(_ one: Activity, _ other: Activity) -> Bool {
    let (date, otherDate) = (one.createdAt.date ?? .distantPast, other.createdAt.date ?? .distantPast)
    return (date, one.id) > (otherDate, other.id)
  }
}
