#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The one door through which other threads reach the loop: letters in a box, and a bell that wakes the poller.
final class Mailbox<Letter: Sendable>: Sendable {
  private struct Box: Sendable {
    var letters: [Letter] = []
    var isClosed = false
  }

  private let box = Locked(Box())
  private let bell: (reader: Int32, writer: Int32)

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    bell = (ends[0], ends[1])
  }

  deinit {
    for end in [bell.reader, bell.writer] { Self.close(descriptor: end) }
  }

  private static func close(descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// Becomes readable when a letter comes.
  var descriptor: Int32 { bell.reader }

  /// Drops a letter in; false if nobody collects any more.
  @discardableResult
  func post(_ letter: Letter) -> Bool {
    let isTaken = box.withLock { box in
      if !box.isClosed { box.letters.append(letter) }
      return !box.isClosed
    }
    guard isTaken else { return false }
    var ring: UInt8 = 1
    _ = unsafe write(bell.writer, &ring, 1)
    return true
  }

  /// Empties the box, and silences the bell.
  func collect() -> [Letter] {
    var rings = [UInt8](repeating: 0, count: 64)
    while unsafe read(bell.reader, &rings, rings.count) == rings.count {}
    return take(closing: false)
  }

  /// Refuses all letters from now on, and gives out those that came before.
  func close() -> [Letter] { take(closing: true) }

  private func take(closing: Bool) -> [Letter] {
    box.withLock { box in
      if closing { box.isClosed = true }
      defer { box.letters = [] }
      return box.letters
    }
  }
}
