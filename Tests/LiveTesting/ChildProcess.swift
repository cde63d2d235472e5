package import Foundation
import Testing

/// A program in its own process. Every call that waits has a timeout, and then fails its test.
package final class ChildProcess {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package struct Result: Sendable {
    package let status: Int32
    /// The output that `line` has not returned.
    package let output: String
    package let errors: String
  }

  private let process = Process()
  private let input: Pipe?
  private let output = ChildOutput()
  private let errors = ChildOutput()
  private let exit = ChildExit()
  private static let starting = NSLock()

  /// Runs `body`, which opens a process's pipes and starts it, while no other process is started.
  ///
  /// In a child, Foundation closes the descriptors that were open before the fork; one that is opened meanwhile would
  /// keep another child's pipe open.
  package static func start<Result>(_ body: () throws -> Result) rethrows -> Result { try starting.withLock(body) }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - environment: The variables of the process; nil for those of the tests.
  ///   - readsInput: True if the process reads the texts of `write`; otherwise its standard input is empty.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil, directory: URL? = nil,
    readsInput: Bool = false
  ) throws {
    input = readsInput ? Pipe() : nil
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.currentDirectoryURL = directory
    process.standardInput = input ?? FileHandle.nullDevice
    let exit = exit
    process.terminationHandler = { _ in exit.record() }
    try Self.start {
      process.standardOutput = output.open()
      process.standardError = errors.open()
      try process.run()
    }
    output.startReading()
    errors.startReading()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Runs a program to its end.
  package static func run(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil, directory: URL? = nil
  ) throws -> Result {
    try ChildProcess(program, arguments, environment: environment, directory: directory).result()
  }

  /// Returns when every process that is being started runs its program.
  ///
  /// Until then it has copies of this process's descriptors, and with them locks that this process may have released.
  package static func waitForStarts() { start {} }

  package var identifier: Int32 { process.processIdentifier }

  /// Writes to the standard input of a process that reads it.
  package func write(_ text: String) throws {
    try input?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Returns the next line on standard output.
  package func line() throws -> String { try line(of: output) }

  /// Returns the next line on standard error.
  package func errorLine() throws -> String { try line(of: errors) }

  package func send(_ signal: Int32) { _ = Foundation.kill(identifier, signal) }

  /// Sends SIGKILL, and returns when the process has ended.
  package func kill() {
    send(SIGKILL)
    if !exit.wait(until: .patienceEnds) { Issue.record("process \(identifier) outlived SIGKILL") }
  }

  /// Sends SIGKILL, and returns the standard output that `line` has not returned.
  package func killed() throws -> String {
    kill()
    guard let output = output.rest(until: .patienceEnds) else { throw overdue("left its output open") }
    guard process.terminationReason == .uncaughtSignal else { throw Failure(description: "it ended by itself") }
    return output
  }

  /// Closes its input, reads both streams to their ends, and waits for the end of the process.
  package func result() throws -> Result {
    try input?.fileHandleForWriting.close()
    let end = Date.patienceEnds
    guard let output = output.rest(until: end), let errors = errors.rest(until: end), exit.wait(until: end) else {
      throw overdue("did not end")
    }
    guard process.terminationReason == .exit else {
      throw Failure(description: "died by signal \(process.terminationStatus)\n\(output)\(errors)")
    }
    return Result(status: process.terminationStatus, output: output, errors: errors)
  }

  private func line(of stream: ChildOutput) throws -> String {
    switch stream.line(until: .patienceEnds) {
    case .line(let line): return line
    case .end: throw Failure(description: "the stream ended: \(try result())")
    case .nothing: throw overdue("wrote no line")
    }
  }

  /// Kills the process and its descendants, so that a failing test leaves no process running.
  private func overdue(_ what: String) -> Failure {
    let seen = "\(output.text)\(errors.text)"
    for identifier in Self.descendants(of: identifier) + [identifier] { _ = Foundation.kill(identifier, SIGKILL) }
    let name = process.executableURL?.lastPathComponent ?? "the process"
    return Failure(description: "\(name) \(what) within \(Patience.seconds) s and was killed; it wrote:\n\(seen)")
  }

  private static func descendants(of identifier: Int32) -> [Int32] {
    let list = Process()
    let pipe = Pipe()
    list.executableURL = URL(filePath: "/bin/ps")
    list.arguments = ["-A", "-o", "ppid=,pid="]
    list.standardOutput = pipe
    guard (try? list.run()) != nil else { return [] }
    let text = String(decoding: (try? pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    let pairs = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int32($0) } }
    var found: [Int32] = []
    var parents = [identifier]
    while let parent = parents.popLast() {
      let children = pairs.filter { $0.count == 2 && $0[0] == parent }.map { $0[1] }
      found += children
      parents += children
    }
    return found
  }
}

extension URL {
  package static let shell = URL(filePath: "/bin/sh")
}

extension Date {
  fileprivate static var patienceEnds: Date { Date() + Double(Patience.seconds) }
}

/// The end of a process, reported by one of Foundation's threads.
private final class ChildExit: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOver = false

  func record() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  func wait(until end: Date) -> Bool {
    condition.withLock {
      while !isOver { guard condition.wait(until: end) else { return isOver } }
      return true
    }
  }
}

/// One of a process's output streams, read by its own thread.
private final class ChildOutput: @unchecked Sendable {
  enum Next {
    case line(String)
    case end
    case nothing
  }

  private let condition = NSCondition()
  private var pipe: Pipe?
  private var bytes: [UInt8] = []
  private var hasEnded = false

  func open() -> Pipe {
    let pipe = Pipe()
    self.pipe = pipe
    return pipe
  }

  func startReading() {
    guard let handle = pipe?.fileHandleForReading else { return }
    Thread.detachNewThread {
      var data = Data()
      repeat {
        data = handle.availableData
        self.condition.withLock {
          self.bytes += data
          self.hasEnded = data.isEmpty
          self.condition.broadcast()
        }
      } while !data.isEmpty
    }
  }

  /// The bytes that were read but not returned as a line.
  var text: String { condition.withLock { String(decoding: bytes, as: UTF8.self) } }

  func line(until end: Date) -> Next {
    condition.withLock {
      while true {
        if let index = bytes.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: bytes[..<index], as: UTF8.self)
          bytes.removeSubrange(...index)
          return .line(line)
        }
        if hasEnded { return .end }
        guard condition.wait(until: end) else { return .nothing }
      }
    }
  }

  /// Returns the rest of the stream; nil if it does not end in time.
  func rest(until end: Date) -> String? {
    condition.withLock {
      while !hasEnded { guard condition.wait(until: end) else { return nil } }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
