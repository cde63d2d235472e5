import Platform
import Primitives

@testable import Understudy

/// A disk that loses unsynchronized data at a loss of power, and fails on demand.
final class MemoryDisk: Disk {
  let path = "/memory"

  /// A file's bytes: the current ones, and those of the last synchronization.
  private final class Node {
    var now: [UInt8] = []
    var kept: [UInt8] = []
  }

  /// The names after each change since the last synchronization; the last element has the current ones.
  private final class Directory<Content> {
    var names: [[String: Content]] = [[:]]

    var current: [String: Content] {
      get { names[names.count - 1] }
      set { names.append(newValue) }
    }
  }

  private let root = Directory<Directory<Node>>()
  private var random: SplitMix64
  /// The number of operations so far.
  private(set) var operations = 0
  /// Returns the fault of the operation with this number; nil for success.
  var action: (Int) -> FaultAction? = { _ in nil }

  enum FaultAction {
    /// The operation fails with this error.
    case error(Int32)
    /// The operation ends halfway, and all later ones fail.
    case powerLoss
  }

  private var isOff = false

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The current bytes of a file.
  func bytes(_ file: String) -> [UInt8]? { node(file)?.now }

  /// Replaces the content of a file, as another program does.
  func replace(_ file: String, by bytes: [UInt8]) {
    let node = Node()
    (node.now, node.kept) = (bytes, bytes)
    let directory = directory(of: file)
    directory?.current[name(of: file)] = node
  }

  private func directory(of file: String) -> Directory<Node>? {
    root.current[String(file.prefix { $0 != "/" })]
  }

  private func name(of file: String) -> String { String(file.drop { $0 != "/" }.dropFirst()) }

  private func node(_ file: String) -> Node? { directory(of: file)?.current[name(of: file)] }

  /// Counts an operation, and returns its fault.
  private func begin() -> FaultAction? {
    if isOff { return .powerLoss }
    operations += 1
    let action = action(operations)
    if case .powerLoss = action { isOff = true }
    return action
  }

  private func check(_ call: String) throws(SystemError) {
    try fail(begin(), call)
  }

  private func fail(_ action: FaultAction?, _ call: String) throws(SystemError) {
    switch action {
    case .error(let code): throw SystemError(path + "/" + call, code: code)
    case .powerLoss: throw SystemError(path + "/" + call, code: 5)
    case nil: return
    }
  }

  func names(in directory: String?) throws(SystemError) -> [String] {
    guard let directory else { return Array(root.current.keys) }
    return root.current[directory].map { Array($0.current.keys) } ?? []
  }

  func read(_ file: String) throws(SystemError) -> [UInt8]? { bytes(file) }

  func makeDirectory(_ name: String) throws(SystemError) {
    try check(name)
    if root.current[name] == nil { root.current[name] = Directory() }
  }

  func write(_ bytes: [UInt8], to file: String) throws(SystemError) {
    try check(file)
    guard let directory = directory(of: file) else { throw SystemError(path + "/" + file, code: 2) }
    let node = Node()
    directory.current[name(of: file)] = node
    let writing = begin()
    node.now = writing == nil ? bytes : Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
    try fail(writing, file)
    let synchronizing = begin()
    // A failed synchronization leaves some pages unwritten, and marks them as clean.
    node.kept = synchronizing == nil ? node.now : torn(node)
    try fail(synchronizing, file)
  }

  func rename(_ file: String, to other: String) throws(SystemError) {
    try check(file)
    guard let directory = directory(of: file) else { throw SystemError(path + "/" + file, code: 2) }
    var changed = directory.current
    changed[name(of: other)] = changed.removeValue(forKey: name(of: file))
    directory.current = changed
  }

  func remove(_ file: String) throws(SystemError) {
    guard node(file) != nil else { return }
    try check(file)
    directory(of: file)?.current[name(of: file)] = nil
  }

  func removeDirectory(_ name: String) {
    guard !isOff, root.current[name]?.current.isEmpty == true else { return }
    root.current[name] = nil
  }

  func synchronize(_ directory: String?) throws(SystemError) {
    try check(directory ?? "")
    guard let directory else { return root.names = [root.current] }
    guard let found = root.current[directory] else { return }
    found.names = [found.current]
  }
}

extension MemoryDisk {
  /// Returns the disk after a loss of power: the names at some time since the last synchronization, and of each file
  /// the bytes that happened to be written.
  func afterPowerLoss(seed: UInt64) -> MemoryDisk {
    random = SplitMix64(seed: seed)
    let left = MemoryDisk(seed: seed)
    // Sorted, so that a seed always draws the same.
    for (name, directory) in earlier(root).sorted(by: { $0.key < $1.key }) {
      let copy = Directory<Node>()
      for (file, node) in earlier(directory).sorted(by: { $0.key < $1.key }) {
        let bytes = Node()
        bytes.kept = torn(node)
        bytes.now = bytes.kept
        copy.current[file] = bytes
      }
      copy.names = [copy.current]
      left.root.current[name] = copy
    }
    left.root.names = [left.root.current]
    return left
  }

  private func earlier<Content>(_ directory: Directory<Content>) -> [String: Content] {
    directory.names[Int.random(in: 0..<directory.names.count, using: &random)]
  }

  /// Some pages are current and the others old; the length is the current one, the old one, or one between.
  private func torn(_ node: Node) -> [UInt8] {
    guard node.kept != node.now else { return node.now }
    let page = [16, 64, 512, 4_096][Int.random(in: 0..<4, using: &random)]
    var bytes = node.kept
    let gain = node.now.count - bytes.count
    if gain > 0 {
      let count = random.next() % 3 == 0 ? gain : Int.random(in: 0...gain, using: &random)
      bytes += [UInt8](repeating: 0, count: count)
    }
    let share = random.next() % 5
    for start in stride(from: 0, to: bytes.count, by: page) where random.next() % 4 < share {
      let end = min(start + page, bytes.count, node.now.count)
      if start < end { bytes.replaceSubrange(start..<end, with: node.now[start..<end]) }
    }
    return bytes
  }
}
