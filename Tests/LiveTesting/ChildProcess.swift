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

  private let program: SpawnedProgram
  private let name: String
  private let input: Pipe?
  private let output = ChildOutput()
  private let errors = ChildOutput()
  private static let starting = NSLock()

  /// Runs `body`, which opens a process's pipes and starts it, while no other process is started.
  ///
  /// Until it runs its program, a child has copies of all descriptors of this process.
  package static func start<Result>(_ body: () throws -> Result) rethrows -> Result { try starting.withLock(body) }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - environment: The variables of the process, besides those of its instruments; nil for those of the tests.
  ///   - readsInput: True if the process reads the texts of `write`; otherwise its standard input is empty.
  package init(
    _ program: URL, _ arguments: [String], environment: [String: String]? = nil, directory: URL? = nil,
    readsInput: Bool = false
  ) throws {
    let (output, errors) = (output, errors)
    name = program.lastPathComponent
    (input, self.program) = try Self.start {
      let input = readsInput ? SpawnedProgram.pipe() : nil
      let (outputPipe, errorPipe) = (output.open(), errors.open())
      defer { for pipe in [outputPipe, errorPipe] { try? pipe.fileHandleForWriting.close() } }
      let started = try SpawnedProgram(
        program, arguments, environment: environment.map { $0.merging(Self.instruments) { own, _ in own } },
        directory: directory,
        streams: [
          input?.fileHandleForReading.fileDescriptor, outputPipe.fileHandleForWriting.fileDescriptor,
          errorPipe.fileHandleForWriting.fileDescriptor,
        ])
      return (input, started)
    }
    try input?.fileHandleForReading.close()
    output.startReading()
    errors.startReading()
  }

  deinit { program.send(SIGTERM) }

  /// The variables that turn a mutant on (Tests/Mutation), and those that say where a sanitizer reports.
  package static let instruments = ProcessInfo.processInfo.environment.filter {
    $0.key.hasPrefix("UNDERSTUDY_MUTA") || $0.key.hasSuffix("SAN_OPTIONS")
  }

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

  package var identifier: Int32 { program.identifier }

  /// Writes to the standard input of a process that reads it.
  package func write(_ text: String) throws {
    try input?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Returns the next line on standard output.
  package func line() throws -> String { try line(of: output) }

  /// Returns the next line on standard error.
  package func errorLine() throws -> String { try line(of: errors) }

  package func send(_ signal: Int32) { program.send(signal) }

  /// Sends SIGKILL, and returns when the process has ended.
  package func kill() {
    send(SIGKILL)
    if program.end(until: .patienceEnds) == nil { Issue.record("process \(identifier) outlived SIGKILL") }
  }

  /// Sends SIGKILL, and returns the standard output that `line` has not returned.
  package func killed() throws -> String {
    kill()
    guard let output = output.rest(until: .patienceEnds) else { throw overdue("left its output open") }
    guard case .signalled = program.end(until: .patienceEnds) else { throw Failure(description: "it ended by itself") }
    return output
  }

  /// Closes its input, reads both streams to their ends, and waits for the end of the process.
  package func result() throws -> Result {
    try input?.fileHandleForWriting.close()
    let limit = Date.patienceEnds
    guard let output = output.rest(until: limit), let errors = errors.rest(until: limit),
      let end = program.end(until: limit)
    else { throw overdue("did not end") }
    switch end {
    case .exited(let status): return Result(status: status, output: output, errors: errors)
    case .signalled(let signal): throw Failure(description: "died by signal \(signal)\n\(output)\(errors)")
    }
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
    return Failure(description: "\(name) \(what) within \(Patience.seconds) s and was killed; it wrote:\n\(seen)")
  }

  private static func descendants(of identifier: Int32) -> [Int32] {
    let list = try? run(URL(filePath: "/bin/ps"), ["-A", "-o", "ppid=,pid="])
    let pairs = (list?.output ?? "").split(separator: "\n").map { $0.split(separator: " ").compactMap { Int32($0) } }
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
    let pipe = SpawnedProgram.pipe()
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
