import Foundation
import LiveTesting
import Testing

@testable import Understudy

@Suite("A directory of the file system", .temporaryFiles)
struct KernelDiskTests {
  @Test("is refused while another process holds its lock")
  func lock() throws {
    let path = try TemporaryFiles.dataDirectory()
    // For flock(2), another descriptor is like another process.
    var other: KernelDisk? = try KernelDisk(path)
    let error = #expect(throws: StartError.self) { try KernelDisk(path) }
    #expect(
      error?.description.contains("another understudy stores its state there") == true, "\(error?.description ?? "")")
    withExtendedLifetime(other) {}
    other = nil
    _ = try KernelDisk(path)
  }
}
