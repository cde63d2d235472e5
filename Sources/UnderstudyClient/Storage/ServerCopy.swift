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

  private let file: DurableFile
  private(set) var value: Value
  private(set) var freshness = Freshness.unknown
  private(set) var failure: RequestError?
  /// The number of changes to the value by other means than a refresh.
  private(set) var changeCount = 0
  /// The path under which a damaged file was set aside.
  let damagedFile: URL?
  private var storageError: StorageError?
  private var stored: Stored?
  private var refreshCount = 0
  private var activeRefreshCount = 0
  /// The number of the refresh whose response is shown.
  private(set) var shownRefresh = 0

  /// Reads the value from the file.
  ///
  /// - Parameter initial: The value if the file does not exist.
  init(_ file: DurableFile, initial: Value) throws(StorageError) {
    self.file = file
    let loaded = try file.load(as: Stored.self)
    stored = loaded.value
    value = loaded.value?.value ?? initial
    if let date = loaded.value?.date { freshness = .stored(date) }
    damagedFile = loaded.setAside.map { URL(fileURLWithPath: $0) }
  }

  mutating func beginRefresh() -> Refresh {
    refreshCount += 1
    activeRefreshCount += 1
    return Refresh(number: refreshCount, changeCount: changeCount)
  }

  /// Ends a refresh with the server's response.
  ///
  /// - Parameters:
  ///   - value: The response.
  ///   - date: The time at which the server confirmed it.
  ///   - isCopy: True if the response comes from a cache, so that the shown value may be newer.
  /// - Returns: False if the response is not shown, because a newer one is.
  @discardableResult
  mutating func end(_ refresh: Refresh, with value: Value, at date: Date, isCopy: Bool = false) -> Bool {
    activeRefreshCount -= 1
    // Other dates are not compared, because a device's clock may be set back.
    guard refresh.number > shownRefresh, !isCopy || date >= confirmationDate else { return false }
    shownRefresh = refresh.number
    failure = nil
    (self.value, freshness) = (value, .confirmed(date))
    store()
    return true
  }

  /// Records that the server has confirmed the value, without sending it. The date is not stored.
  mutating func confirm(at date: Date) {
    failure = nil
    freshness = .confirmed(date)
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
    body(&value)
    changeCount += 1
    if let date { freshness = .confirmed(date) }
    store()
  }

  func state<Content>(_ content: Content) -> ModelState<Content> {
    ModelState(
      content: content, freshness: freshness, isRefreshing: activeRefreshCount > 0, failure: failure,
      storageError: storageError)
  }

  private var confirmationDate: Date {
    if case .confirmed(let date) = freshness { date } else { .distantPast }
  }

  private mutating func store() {
    let next = Stored(value: value, date: freshness.date)
    guard next != stored else { return }
    do {
      try file.save(value: next)
      (stored, storageError) = (next, nil)
    } catch {
      storageError = error
    }
  }
}
