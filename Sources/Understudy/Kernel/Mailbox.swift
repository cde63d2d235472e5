#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The one door through which other threads reach the loop: letters in a box, and a bell that wakes the poller.
package final class Mailbox<Letter: Sendable>: Sendable {
  private let letters = Locked<[Letter]>([])
  private let bell: (reader: Int32, writer: Int32)

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    bell = (ends[0], ends[1])
  }

  deinit {
    close(bell.reader)
    close(bell.writer)
  }

  /// Becomes readable when a letter comes.
  package var descriptor: Int32 { bell.reader }

  package func post(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    var ring: UInt8 = 1
    _ = unsafe write(bell.writer, &ring, 1)
  }

  /// Empties the box, and silences the bell.
  package func collect() -> [Letter] {
    var rings = [UInt8](repeating: 0, count: 64)
    while unsafe read(bell.reader, &rings, rings.count) == rings.count {}
    return letters.withLock { box in
      defer { box = [] }
      return box
    }
  }
}
