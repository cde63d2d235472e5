/// The file with the state. Everything appended to it is on the disk, or the call has thrown.
final class LogFile {
  static let name = "state.log"
  private static let draft = "state.log.new"

  private let disk: any Disk
  private var file: (any DiskFile)?
  /// The length of the file that is on the disk.
  private(set) var length = 0
  private var imageLength = 0
  private var frames = 0
  /// True if the end of the file on the disk is unknown. Only another file helps.
  private(set) var isInDoubt = true
  private var nextRewrite = 0

  /// A shorter log is not rewritten.
  static let minimumRewrite = 2 << 20

  init(on disk: any Disk) { self.disk = disk }

  var path: String { disk.path + "/" + Self.name }

  /// Returns the content of the file without a torn end; nil if it does not exist.
  ///
  /// - Returns: The content, and the number of bytes that were cut off.
  func open() throws(StartError) -> (content: LogFormat.Content, torn: Int)? {
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
      settle(at: content.end, image: content.payloads[0].endIndex, frames: content.payloads.count)
      return (content, bytes.count - content.end)
    } catch let flaw as LogFormat.LogError {
      throw .badState("\(path): at byte \(flaw.offset): expected \(flaw.expectation)")
    } catch {
      throw .cannotKeep("stateDirectory \(error)")
    }
  }

  private func settle(at length: Int, image: Int, frames: Int) {
    self.length = length
    self.frames = frames
    imageLength = image
    nextRewrite = image + max(Self.minimumRewrite, image)
    isInDoubt = false
  }

  /// Appends a frame, and returns when it is on the disk.
  func append(_ payload: [UInt8]) throws(SystemError) {
    guard let file, !isInDoubt else { throw SystemError(path, code: SystemError.inDoubt) }
    guard payload.count <= LogFormat.longestPayload else { throw SystemError(path, code: SystemError.tooLarge) }
    let frame = LogFormat.frame(payload, number: frames + 1)
    try confirm()
    do throws(SystemError) {
      try file.write(frame, at: length)
    } catch {
      // A partly written frame would be a torn end, which is cut off. But the next frame needs its place.
      do throws(SystemError) { try file.truncate(to: length) } catch { isInDoubt = true }
      throw error
    }
    do throws(SystemError) {
      try file.synchronize()
    } catch {
      // After an error the kernel may mark pages as clean that never reached the disk, so a second attempt would prove
      // nothing.
      isInDoubt = true
      try? file.truncate(to: length)
      throw error
    }
    length += frame.count
    frames += 1
  }

  /// Throws unless the next start will find the file that was written.
  func confirm() throws(SystemError) {
    guard let file, !isInDoubt else { return }
    do throws(SystemError) {
      try disk.confirm(Self.name, is: file, of: length)
    } catch {
      isInDoubt = true
      throw error
    }
  }

  /// True if there is so much after the image that a new image is due.
  var isLong: Bool { length >= nextRewrite }

  /// Replaces the file by a new one with an image of the complete state. If it fails, the old file is unchanged.
  func rewrite(_ image: [UInt8]) throws(SystemError) {
    guard image.count <= LogFormat.longestPayload else { throw SystemError(path, code: SystemError.tooLarge) }
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
    settle(at: bytes.count, image: bytes.count, frames: 1)
    do throws(SystemError) {
      try disk.synchronize()
    } catch {
      // After a loss of power the name may refer to the old file again, so nothing may be acknowledged in the new one.
      isInDoubt = true
      throw error
    }
  }

  /// Records that the state differs from the file.
  func doubt() { isInDoubt = true }
}
