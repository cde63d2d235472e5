/// The memory that only busy connections need, which connections hand on to each other.
struct SpareMemory {
  /// The tokens of the connections that may hold some, and of those that are to rest now.
  var awake: [UInt64] = []
  var resting: [UInt64] = []
  /// The index in `awake` of the connection that got its memory last; the next one has held its own longest.
  var lastAwakened = -1
  /// The storage of sent output, for the next responses: with many connections, that of each one would be new memory.
  var output: [[UInt8]] = []
}
