package import Platform

/// The file with the state log. When a call to append returns without an error, the bytes are durable.
package final class LogFile {
  package static let name = "state.log"
  private static let draft = "state.log.new"

  private let disk: any Disk
  private var file: (any DiskFile)?
  /// The length of the durable part of the file.
  package private(set) var length = 0
  private var imageLength = 0
  private var frames = 0
  /// True if the content of the file on the disk is uncertain. Then only a new file can be written.
  package private(set) var isInDoubt = true
  private var nextRewrite = 0

  /// The minimum number of bytes after the image before the log is rewritten.
  package static let minimumRewrite = 2 << 20

  package init(on disk: any Disk) { self.disk = disk }

  package var path: String { disk.path + "/" + Self.name }

  /// Returns the content of the file without a torn end; nil if it does not exist.
  ///
  /// - Returns: The content, and the number of bytes that were removed from the end.
  package func open() throws(OpeningError) -> (content: LogFormat.Content, torn: Int)? {
    disk.remove(Self.draft)
    do {
      guard let bytes = try disk.read(Self.name) else { return nil }
      let content = try LogFormat.read(bytes)
      let file = try disk.open(Self.name)
      if content.end < bytes.count {
        try file.truncate(to: content.end)
        try file.synchronize()
      }
      self.file = file
      adopt(at: content.end, image: content.payloads[0].endIndex, frames: content.payloads.count)
      return (content, bytes.count - content.end)
    } catch let error as LogFormat.LogError {
      throw .damaged("\(path): at byte \(error.offset): expected \(error.expectation)")
    } catch {
      throw .unavailable("\(error)")
    }
  }

  private func adopt(at length: Int, image: Int, frames: Int) {
    self.length = length
    self.frames = frames
    imageLength = image
    nextRewrite = image + max(Self.minimumRewrite, image)
    isInDoubt = false
  }

  /// Appends a frame, and returns when it is durable.
  package func append(_ payload: [UInt8]) throws(SystemError) {
    guard let file, !isInDoubt else { throw SystemError(path, code: SystemError.inDoubt) }
    guard payload.count <= LogFormat.maximumPayload else { throw SystemError(path, code: SystemError.tooLarge) }
    let frame = LogFormat.frame(payload, number: frames + 1)
    do throws(SystemError) {
      try disk.confirm(Self.name, is: file)
    } catch {
      isInDoubt = true
      throw error
    }
    do throws(SystemError) {
      try file.write(frame, at: length)
    } catch {
      // After a crash a partly written frame would be removed as a torn end. But the next frame is written at the same
      // offset, so it is removed now.
      do throws(SystemError) { try file.truncate(to: length) } catch { isInDoubt = true }
      throw error
    }
    do throws(SystemError) {
      try file.synchronize()
    } catch {
      // After an error the kernel may mark pages as clean that never reached the disk, so a second fsync could succeed
      // without writing them.
      isInDoubt = true
      try? file.truncate(to: length)
      throw error
    }
    length += frame.count
    frames += 1
  }

  /// True if the changes after the image are so long that a new image is due.
  package var isLong: Bool { length >= nextRewrite }

  /// Replaces the file by a new one with an image of the complete state. If it fails, the old file is unchanged.
  package func rewrite(_ image: [UInt8]) throws(SystemError) {
    guard image.count <= LogFormat.maximumPayload else { throw SystemError(path, code: SystemError.tooLarge) }
    let bytes = LogFormat.header + LogFormat.frame(image, number: 1)
    do throws(SystemError) {
      try disk.restore()
      let new = try disk.create(Self.draft)
      try new.write(bytes, at: 0)
      try new.synchronize()
      try disk.rename(Self.draft, to: Self.name)
      file = new
    } catch {
      disk.remove(Self.draft)
      nextRewrite = length + max(Self.minimumRewrite, imageLength)
      throw error
    }
    adopt(at: bytes.count, image: bytes.count, frames: 1)
    do throws(SystemError) {
      try disk.synchronize()
    } catch {
      // After a loss of power the name may refer to the old file again, so nothing may be acknowledged in the new one.
      isInDoubt = true
      throw error
    }
  }

  /// Marks the file as different from the state, so that the log is rewritten.
  package func markInDoubt() { isInDoubt = true }
}

/// The reason why a directory, or the state log in it, cannot be opened.
package enum OpeningError: Error, CustomStringConvertible {
  /// The log is not as it was written. The text has its path, the position of the error, and the expectation.
  case damaged(String)
  /// Another server owns the directory. The text has its path, and the other process.
  case inUse(String)
  /// A system call failed.
  case unavailable(String)

  package var description: String {
    switch self {
    case .damaged(let detail), .inUse(let detail), .unavailable(let detail): detail
    }
  }
}
