import Foundation

/// The last known value of a resource of the server: stored on disk, with the state of its refreshes.
///
/// It belongs to a model's actor. Every model has one, and makes its `ModelState` from it.
struct ServerCopy<Value: Codable & Equatable & Sendable>: Sendable {
  /// A running refresh.
  struct Refresh: Sendable {
    fileprivate let number: Int
    /// The number of changes that were known when it began.
    let changeCount: Int
  }

  private struct Stored: Codable, Equatable, Sendable {
    var value: Value
    var date: Date?
  }

  private let file: StoredValue<Stored>
  /// The value at this model's last look; nil before the first one.
  private var seen: Value?
  /// The time at which the server confirmed the value in this run of the app.
  private var confirmed: Date?
  private(set) var failure: RequestError?
  /// The number of changes to the value by other means than a refresh of this model.
  private(set) var changeCount = 0
  /// The number of refreshes so far.
  private(set) var refreshCount = 0
  private var activeRefreshCount = 0
  /// The number of the refresh whose response is shown.
  private(set) var shownRefresh = 0
  /// The number of changes that were known when that response was shown.
  private var shownChangeCount = 0

  /// Names the file, which is read when the value is needed.
  ///
  /// - Parameter initial: The value if the file does not exist.
  init(_ file: DurableFile, initial: Value) {
    self.file = StoredValue(file, initial: Stored(value: initial))
  }

  var value: Value { file.value.value }

  var freshness: Freshness {
    confirmed.map { .confirmed($0) } ?? file.value.date.map { .stored($0) } ?? .unknown
  }

  /// The path under which a damaged file was set aside.
  var damagedFile: URL? { file.damagedFile }

  /// Counts a change by another model.
  ///
  /// - Returns: The value before it; nil if there was none.
  @discardableResult
  mutating func countOthersChange() -> Value? {
    let (before, now) = (seen, value)
    seen = now
    guard let before, before != now else { return nil }
    changeCount += 1
    return before
  }

  /// Calls `body` after each change by another model.
  func onChange(_ body: @escaping @Sendable () -> Void) { file.onChange(body) }

  mutating func beginRefresh() -> Refresh {
    countOthersChange()
    refreshCount += 1
    activeRefreshCount += 1
    return Refresh(number: refreshCount, changeCount: changeCount)
  }

  /// Returns true if anything but a refresh of this model has changed the value since a refresh began: the response of
  /// that refresh may then be older.
  mutating func isOvertaken(_ refresh: Refresh) -> Bool {
    countOthersChange()
    return refresh.changeCount != changeCount
  }

  /// Ends a refresh with the server's response.
  ///
  /// - Parameters:
  ///   - date: The time at which the server confirmed it.
  ///   - isCopy: True if the response comes from a cache, so that the shown value may be newer.
  ///   - body: Puts the response into the value, which another model may have changed in the meantime.
  /// - Returns: False if the response is not shown, because a newer one is.
  @discardableResult
  mutating func end(
    _ refresh: Refresh, at date: Date, isCopy: Bool = false, _ body: (inout Value) -> Void
  ) -> Bool {
    activeRefreshCount -= 1
    // Other dates are not compared, because a device's clock may be set back.
    let isOlder = isCopy && (date < confirmed ?? .distantPast || changeCount != shownChangeCount)
    guard refresh.number > shownRefresh, !isOlder else { return false }
    shownRefresh = refresh.number
    shownChangeCount = changeCount
    failure = nil
    store(confirmedAt: date, body)
    return true
  }

  /// Records that the server has confirmed the value, without sending it. The date is not stored.
  mutating func confirm(at date: Date) {
    failure = nil
    confirmed = date
  }

  /// Ends a refresh without a response. A cancelled one changes nothing.
  mutating func end(_ refresh: Refresh, with error: RequestError) {
    activeRefreshCount -= 1
    guard !error.isCancellation, refresh.number > shownRefresh else { return }
    failure = error
  }

  /// Discards the response of a refresh that will be repeated.
  mutating func drop(_ refresh: Refresh) { activeRefreshCount -= 1 }

  /// Changes the value.
  ///
  /// - Parameter date: The time at which the server confirmed the change; nil if it did not.
  mutating func change(confirmedAt date: Date? = nil, _ body: (inout Value) -> Void) {
    changeCount += 1
    store(confirmedAt: date, body)
  }

  func state<Content>(_ content: Content) -> ModelState<Content> {
    ModelState(
      content: content, freshness: freshness, isRefreshing: activeRefreshCount > 0, failure: failure,
      storageError: file.failure)
  }

  private mutating func store(confirmedAt date: Date?, _ body: (inout Value) -> Void) {
    if let date { confirmed = date }
    file.changeCopy { stored in
      body(&stored.value)
      stored.date = date ?? stored.date
      seen = stored.value
    }
  }
}
