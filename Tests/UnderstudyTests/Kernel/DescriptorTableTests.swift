import Foundation
import LiveTesting
import Platform
import Primitives
import Testing

@testable import Understudy

#if os(Linux)
  @Suite("The table of descriptors")
  struct DescriptorTableTests {
    @Test("grows before connections are accepted, so that no connection waits for it")
    func size() async throws {
      try await withServer { _ in
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("FDSize:") })
        let size = try #require(Int(line.split(whereSeparator: \.isWhitespace)[1]))
        let limit = try #require(Descriptor.limit)
        #expect(size >= min(Int(limit.rlim_cur), 16_384))
      }
    }
  }
#endif
