import Foundation

@testable import UnderstudyClient

extension ModelDirectory {
  /// A directory on a disk in memory.
  static func memory(_ store: MemoryFileStore = MemoryFileStore()) -> ModelDirectory {
    ModelDirectory(path: "/d", store: store)
  }
}

/// A disk as pessimistic as POSIX allows: after a crash, data that was not synced may be missing or incomplete.
final class MemoryFileStore: FileStore, @unchecked Sendable {
  struct Crash: Error {}

  /// A file's content, as written and as durable on the disk.
  private struct Node {
    var written: Data
    var durable: Data
  }

  private let lock = NSLock()
  private var nodes: [Int: Node] = [:]
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var lastNode = 0
  private var steps = 0
  /// The number of steps after which the machine stops; nil if it never stops.
  private let crashStep: Int?
  /// The number of successful steps before the one that fails; nil if none does.
  private var failingStep: Int?

  init(crashAfter crashStep: Int? = nil, failingAfter failingStep: Int? = nil) {
    self.crashStep = crashStep
    self.failingStep = failingStep
    failingReads = 0
  }

  /// The number of reads that fail, as those of a locked device do.
  private var failingReads: Int

  init(files: [String: Data], failingReads: Int = 0) {
    crashStep = nil
    self.failingReads = failingReads
    for (name, content) in files {
      lastNode += 1
      nodes[lastNode] = Node(written: content, durable: content)
      names[name] = lastNode
    }
    durableNames = names
  }

  var stepCount: Int { lock.withLock { steps } }
  var files: [String: Data] { lock.withLock { names.compactMapValues { nodes[$0]?.written } } }

  /// The part of the unsynced data that survives the crash: nothing, half of each write, or everything.
  enum Luck: CaseIterable, Sendable {
    case none, torn, all
  }

  /// Returns the disk as the app's next process finds it. It shares no memory with the models of this one.
  func relaunched() -> MemoryFileStore { MemoryFileStore(files: files) }

  /// Returns the disk after the crash.
  func afterCrash(_ luck: Luck, renamesSurvive: Bool) -> MemoryFileStore {
    lock.withLock {
      let found = (renamesSurvive ? names : durableNames).compactMapValues { node -> Data? in
        guard let node = nodes[node] else { return nil }
        switch luck {
        case .none: return node.durable
        case .torn: return node.durable == node.written ? node.durable : node.written.prefix(node.written.count / 2)
        case .all: return node.written
        }
      }
      return MemoryFileStore(files: found)
    }
  }

  private func step<Result>(_ body: () throws -> Result) throws -> Result {
    try lock.withLock {
      if let crashStep, steps >= crashStep { throw Crash() }
      if steps == failingStep {
        failingStep = nil
        throw Crash()
      }
      steps += 1
      return try body()
    }
  }

  var identity: String { "\(ObjectIdentifier(self))" }

  func exclusively<Result>(_ path: String, _ body: () throws -> Result) throws -> Result { try body() }

  func read(_ path: String) throws -> Data? {
    try lock.withLock {
      if failingReads > 0 {
        failingReads -= 1
        throw Crash()
      }
      return names[path].flatMap { nodes[$0]?.written }
    }
  }

  func write(_ content: Data, to path: String) throws {
    try step {
      if let node = names[path] {
        nodes[node]?.written = content
      } else {
        lastNode += 1
        nodes[lastNode] = Node(written: content, durable: Data())
        names[path] = lastNode
      }
    }
  }

  func synchronize(_ path: String) throws {
    try step {
      guard let node = names[path], let written = nodes[node]?.written else { throw Crash() }
      nodes[node]?.durable = written
    }
  }

  func rename(_ path: String, to other: String) throws {
    try step {
      guard let node = names.removeValue(forKey: path) else { throw Crash() }
      names[other] = node
    }
  }

  func synchronizeDirectory(of path: String) throws {
    try step { durableNames = names }
  }

  func exists(_ path: String) -> Bool { lock.withLock { names[path] != nil } }

  /// Returns the files. Their nodes are numbered in the order of creation, and the number serves as the date.
  func files(in directory: String) throws -> [StoredFile] {
    lock.withLock {
      names.filter { $0.key.hasPrefix(directory + "/") }.map { path, node in
        StoredFile(
          path: path, byteCount: nodes[node]?.written.count ?? 0, date: Date(timeIntervalSince1970: Double(node)))
      }
    }
  }

  func remove(_ path: String) throws {
    try step {
      guard names.removeValue(forKey: path) != nil else { throw Crash() }
    }
  }
}
