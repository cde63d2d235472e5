/// What all journals of a server weigh together.
final class JournalMemory {
  /// Room for about twenty full journals. Beyond it those that were used longest ago give up their older entries.
  static let mostBytes = 256 << 20

  var byteCount = 0

  init() {}
}
