import Foundation
import Understudy

/// The built program, run as a user runs it.
///
/// Whatever it does not do by itself, a watchdog ends, so that no test can hang.
final class Program {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What is left when the program has ended.
  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  private let process: Process
  private let output = Pipe()
  private let errors = Pipe()
  private let watchdog: DispatchWorkItem

  convenience init(_ words: String..., environment: [String: String] = [:]) throws {
    try self.init(words, environment: environment)
  }

  /// - Parameter descriptors: How many descriptors the system lets it have, if fewer than usual.
  init(_ words: [String], environment: [String: String] = [:], descriptors: Int? = nil) throws {
    process = Process()
    let program = try Self.location()
    if let descriptors {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "ulimit -n \(descriptors) && exec \"$0\" \"$@\"", program.path] + words
    } else {
      process.executableURL = program
      process.arguments = words
    }
    // HOST and PORT of whoever runs the tests must not steer the program.
    process.environment = environment
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    let process = process
    watchdog = DispatchWorkItem { if process.isRunning { process.terminate() } }
    try process.run()
    DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
  }

  deinit {
    watchdog.cancel()
    if process.isRunning { process.terminate() }
  }

  /// The program stands beside the test bundle, unless another is to be tested.
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

  /// The next line on standard output.
  func line() throws -> String { try line(of: output) }

  /// The next line on standard error.
  func errorLine() throws -> String { try line(of: errors) }

  private func line(of pipe: Pipe) throws -> String {
    var line: [UInt8] = []
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    throw Failure(description: "the stream ended: \(try result())")
  }

  func interrupt() { process.interrupt() }
  func send(_ signal: Int32) { _ = Foundation.kill(process.processIdentifier, signal) }
  func terminate() { process.terminate() }

  var identifier: Int32 { process.processIdentifier }

  /// Ends it as a loss of power would: it is asked nothing. Returns when it is gone.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    watchdog.cancel()
  }

  /// Reads to the end of both streams, and waits for the program's.
  func result() throws -> Result {
    let output = try output.fileHandleForReading.readToEnd() ?? Data()
    let errors = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    watchdog.cancel()
    guard process.terminationReason == .exit else {
      throw Failure(description: "died by signal \(process.terminationStatus)")
    }
    return Result(
      status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self))
  }
}

/// A directory that is gone after the test.
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
