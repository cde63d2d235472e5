import Foundation
import LiveTesting
import Testing

/// The built program, run as a user runs it.
final class Program {
  typealias Failure = ChildProcess.Failure
  typealias Result = ChildProcess.Result

  private let child: ChildProcess

  convenience init(_ words: String..., environment: [String: String] = [:]) throws {
    try self.init(words, environment: environment)
  }

  /// - Parameters:
  ///   - environment: All its variables; it does not inherit HOST and PORT of the tests.
  ///   - descriptors: The number of descriptors that the system lets it have, if fewer than usual.
  ///   - tracer: A program that runs it, with its own arguments in front.
  init(
    _ words: [String], environment: [String: String] = [:], descriptors: Int? = nil, tracer: [String] = []
  ) throws {
    let program = try Self.location()
    if let descriptors {
      let script = "ulimit -n \(descriptors) && exec \"$0\" \"$@\""
      child = try ChildProcess(.shell, ["-c", script, program.path] + words, environment: environment)
    } else if let path = tracer.first {
      let rest = tracer.dropFirst() + [program.path] + words
      child = try ChildProcess(URL(fileURLWithPath: path), Array(rest), environment: environment)
    } else {
      child = try ChildProcess(program, words, environment: environment)
    }
  }

  /// The program is in the directory of the test bundle, unless another is to be tested.
  static func location() throws -> URL {
    if let path = ProcessInfo.processInfo.environment["UNDERSTUDY_PROGRAM"] { return URL(fileURLWithPath: path) }
    var directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    #if !os(Linux)
      if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
        directory = bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    let program = directory.appendingPathComponent("understudy")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw Failure(description: "no program at \(program.path)")
    }
    return program
  }

  func line() throws -> String { try child.line() }
  func errorLine() throws -> String { try child.errorLine() }
  func interrupt() { child.send(SIGINT) }
  func terminate() { child.send(SIGTERM) }
  func send(_ signal: Int32) { child.send(signal) }
  func kill() { child.kill() }
  func result() throws -> Result { try child.result() }
  var identifier: Int32 { child.identifier }
}

extension Program {
  /// Starts `understudy run`, whose command finds the programs of the tests' own PATH.
  static func run(_ words: [String]) throws -> Program {
    try Program(["run"] + words, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
  }

  /// Runs a command line of a shell with the program as `$0`.
  static func shell(_ script: String, _ words: String...) throws -> Result {
    try Program(words, environment: ["PATH": "/usr/bin:/bin"], tracer: ["/bin/sh", "-c", script]).result()
  }

  /// A shell script's client that treats a missing response as a failure, and repeats its booking at once.
  static let naiveClient = """
    for i in 1 2 3; do until curl -sf -m 2 -d '{"name":"Ljerka"}' $UNDERSTUDY_URL/book >/dev/null; do :; done; done
    """

  /// Returns true if the process exists and is not a zombie.
  static func isRunning(_ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return Foundation.kill(process, 0) == 0 && !FileManager.default.fileExists(atPath: "/proc")
    }
    return status.split(separator: ")").last?.split(separator: " ").first != "Z"
  }

  /// Returns how many of these processes are stopped, as by Ctrl-Z.
  static func stoppedCount(_ processes: Int32...) throws -> Int {
    let list = processes.map(String.init).joined(separator: ",")
    let states = try ChildProcess.run(.shell, ["-c", "ps -o state= -p \(list)"]).output.split(separator: "\n")
    return states.count { $0.hasPrefix("T") }
  }

  /// Reads the number that a script printed for a process.
  static func process(_ text: String) throws -> Int32 {
    try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}

/// Runs a command with longer and longer time limits, until it reaches the point at which the limit should end it.
///
/// - Parameter body: Returns false if the time limit passed too early.
func withTimeLimit(_ body: (_ limit: String) throws -> Bool) throws {
  var seconds = 1
  while try !body("\(seconds)s") {
    seconds *= 2
    guard seconds <= Patience.seconds else {
      throw Program.Failure(description: "the command did not begin within \(seconds / 2) s")
    }
  }
}

/// A directory that is removed after the test.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "understudy-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name), options: .atomic)
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
  }
}
