import Foundation
import LiveTesting
import Testing

/// The command strace(1), if it is installed.
private enum Strace {
  static let path = "/usr/bin/strace"

  /// True if a program can be traced here: some containers forbid it.
  static func isUsable() async -> Bool {
    guard FileManager.default.isExecutableFile(atPath: path) else { return false }
    return await BlockingTests.run {
      let trial = try? ChildProcess.run(URL(filePath: path), ["-o", "/dev/null", "/bin/true"])
      return trial?.status == 0
    }
  }
}

/// The system calls that make a change durable, as traced by strace(1).
@Suite("The system calls of --state", .enabled { await Strace.isUsable() }, .live)
struct SynchronizationTests {
  /// The calls of a trace, each as its name and arguments.
  private static func calls(_ trace: String) -> [String] {
    trace.components(separatedBy: "\n").compactMap { line in
      let call = line.drop { $0 != " " }.drop { $0 == " " }
      return call.contains("resumed>") || call.hasPrefix("+++") || call.isEmpty ? nil : String(call)
    }
  }

  @Test("synchronize an image before and after its rename, and before the response to its change")
  func calls() throws {
    let scratch = try ScratchDirectory()
    let program = try Program(
      ["--port", "0", "--state", scratch.path + "/state"],
      tracer: [
        Strace.path, "-f", "-y", "-s", "64", "-o", scratch.path + "/trace", "-e",
        "trace=pwrite64,rename,renameat,renameat2,fsync,fdatasync,sendto,sendmsg,write",
      ])
    let port = try #require(try program.line().split(separator: ":").last.flatMap { Int($0) })
    let caller = try #require(Caller(port: port))
    let response = caller.ask("PATCH", "/devices/WWM-0001-12", "{\"meterPointDescription\":\"traced\"}")
    #expect(response?.status == 200)
    // The tracer ignores signals. Each line of its trace begins with the id of the traced process.
    let tracee = try #require(Int32(try scratch.read("trace").prefix { $0 != " " }))
    kill(tracee, SIGTERM)
    _ = try program.result()
    let calls = Self.calls(try scratch.read("trace"))
    func index(_ name: String, _ part: String, after start: Int = -1) throws -> Int {
      try #require(
        calls.indices.first { $0 > start && calls[$0].hasPrefix(name) && calls[$0].contains(part) },
        "no \(name) of \(part) after \(start) in\n\(calls.joined(separator: "\n"))")
    }
    func image(after start: Int) throws -> Int {
      let draft = try index("pwrite64", "default/state.new", after: start)
      let brought = try index("fdatasync", "default/state.new", after: draft)
      let renamed = try index("rename", "default/state.new", after: brought)
      return try index("fsync", "/default>", after: renamed)
    }
    let made = try index("fsync", "/state>", after: image(after: -1))
    let kept = try image(after: made)
    _ = try index("send", "HTTP/1.1 200", after: kept)
    #expect(!calls[..<kept].contains { $0.hasPrefix("send") && $0.contains("HTTP/1.1") }, "nothing was told before")
    _ = try index("fsync", scratch.path + ">")
  }
}
