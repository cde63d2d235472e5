import Foundation
import Testing

@testable import Primitives

@Suite("The source code")
struct StyleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func sources(_ folder: String) throws -> [(path: String, text: String)] {
    let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }.map { file in
      (file.path.replacing(root.path + "/", with: ""), try String(contentsOf: file, encoding: .utf8))
    }
  }

  @Test("has unsafe code in twelve files, which call the kernel")
  func keepsUnsafeCodeTogether() throws {
    let unsafe = try Self.sources("Sources").filter { $0.text.contains(/\bunsafe\b(?!-)|@safe\b/) }.map(\.path).sorted()
    #expect(
      unsafe == [
        "Sources/Platform/Descriptor.swift", "Sources/Platform/File.swift", "Sources/Platform/Locked.swift",
        "Sources/Platform/Socket.swift", "Sources/Platform/SocketAddress.swift", "Sources/Platform/SystemError.swift",
        "Sources/Understudy/Kernel/EpollPoller.swift",
        "Sources/Understudy/Kernel/LoopThread.swift", "Sources/Understudy/Kernel/SystemClock.swift",
        "Sources/UnderstudyCommand/Child.swift", "Sources/UnderstudyCommand/Environment.swift",
        "Sources/UnderstudyCommand/Signals.swift",
      ])
  }

  @Test("has no file of more than 300 lines")
  func keepsFilesShort() throws {
    for source in try Self.sources("Sources") + Self.sources("Tests") {
      let count = source.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(count <= 300, "\(source.path) has \(count) lines")
    }
  }

  @Test("removes every temporary file that a test makes")
  func removesTemporaryFiles() throws {
    for source in try Self.sources("Tests") where source.path != "Tests/UnderstudyTests/StyleTests.swift" {
      let made = source.text.matches(of: /NSTemporaryDirectory\(\)|\.temporaryDirectory\b|"\/tmp\/.*\\\(/).count
      let removed = source.text.matches(of: /removeItem|unlink/).count
      #expect(made <= removed, "\(source.path) makes \(made) files, and removes \(removed): use TemporaryFiles")
    }
  }

  @Test(
    "has no I/O in Primitives, HTTP1, Faults, Contract, ControlAPI, JSON, Pictures, Report and Services")
  func keepsMachinesPure() throws {
    let allowed = [
      "Primitives": [], "HTTP1": ["Primitives"], "JSON": ["Primitives"], "Faults": ["JSON", "Primitives"],
      "Contract": ["JSON", "Primitives"], "ControlAPI": ["Contract", "Faults", "JSON", "Primitives"],
      "Pictures": ["Primitives"],
      "Report": ["Contract", "Dashboard", "Faults", "JSON", "Primitives"],
      "Services": ["Contract", "Faults", "JSON", "Pictures", "Platform", "Primitives", "Seeds"],
      "StateLog": ["Platform", "Primitives"],
    ]
    for (target, names) in allowed {
      for source in try Self.sources("Sources/\(target)") {
        for match in source.text.matches(of: /(?m)^(?:package |public )?import (\w+)/) {
          #expect(names.contains(String(match.1)), "\(source.path) imports \(match.1)")
        }
      }
    }
  }

  @Test("has all files that the page about a request's way names")
  func drawsWhatIsThere() throws {
    let page = Self.root.appending(path: "Sources/Understudy/Understudy.docc/ARequestsWay.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let names = text.matches(of: /\w+\/[\w+]+\.swift/).map { String($0.0) }
    #expect(names.count > 20)
    let steps = text.matches(of: /[ ▶](\d+)  \w+\/[\w+]+\.swift/).map { Int($0.1) }
    #expect(steps == Array(1...12), "a request passes through twelve files")
    for name in names {
      let indices = ["Sources/", "Sources/Understudy/"].map { Self.root.appending(path: $0 + name).path }
      #expect(indices.contains { FileManager.default.fileExists(atPath: $0) }, "\(name)")
    }
  }
}
