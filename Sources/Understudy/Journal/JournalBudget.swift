/// The memory limit of all journals of a server together.
final class JournalBudget {
  /// The limit, enough for about twenty full journals. Above it, the least recently used journals evict their older
  /// entries.
  static let maximumBytes = 256 << 20

  var byteCount = 0
}
