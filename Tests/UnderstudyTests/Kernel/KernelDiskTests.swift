import Foundation
import LiveTesting
import StateLog
import Testing

@testable import Understudy

@Suite("A directory of the file system", .temporaryFiles)
struct KernelDiskTests {
  @Test("is refused while another process holds its lock")
  func lock() throws {
    let path = try TemporaryFiles.dataDirectory()
    try Data().write(to: URL(filePath: path + "/lock"))
    // For flock(2), another descriptor is like another process.
    let other = try #require(FileHandle(forUpdatingAtPath: path + "/lock"))
    #expect(flock(other.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    let error = #expect(throws: OpeningError.self) { try KernelDisk(path) }
    #expect(
      error?.description.contains("another understudy stores its state there") == true, "\(error?.description ?? "")")
    try other.close()
    _ = try KernelDisk(path)
  }
}
