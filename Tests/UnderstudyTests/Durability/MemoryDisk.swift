import Platform
import Primitives
import StateLog

@testable import Understudy

/// A disk that loses unsynchronized data at a loss of power, and fails on demand.
final class MemoryDisk: Disk {
  let path = "/memory"
  /// A file's bytes: the current ones, and those of the last synchronization.
  final class Node {
    var now: [UInt8] = []
    var kept: [UInt8] = []
    /// The bytes of `now` that a synchronization would still write; a failed one marks their pages as clean.
    var dirty: [Range<Int>] = []

    /// Writes dirty pages to the disk. Pages that a failed synchronization marked as clean are lost.
    func keep() {
      var bytes = Array(kept.prefix(now.count))
      bytes += [UInt8](repeating: 0, count: now.count - bytes.count)
      for range in dirty.map({ $0.clamped(to: 0..<now.count) }) { bytes.replaceSubrange(range, with: now[range]) }
      kept = bytes
      dirty = []
    }
  }

  /// The names after each change since the last synchronization; the last element has the current ones.
  private var names: [[String: Node]] = [[:]]
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

  private(set) var isOff = false
  /// True while no file can be created because there are no free descriptors.
  var hasNoDescriptor = false

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private var current: [String: Node] {
    get { names[names.count - 1] }
    set { names.append(newValue) }
  }

  /// The current bytes of a file.
  func bytes(_ name: String) -> [UInt8]? { current[name]?.now }

  /// Counts an operation, and returns its fault.
  private func begin() -> FaultAction? {
    if isOff { return .powerLoss }
    operations += 1
    let action = action(operations)
    if case .powerLoss = action { isOff = true }
    return action
  }

  private func check() throws(SystemError) {
    switch begin() {
    case .error(let code): throw SystemError(path, code: code)
    case .powerLoss: throw SystemError(path, code: 5)
    case nil: return
    }
  }

  func read(_ name: String) throws(SystemError) -> [UInt8]? { current[name]?.now }

  func create(_ name: String) throws(SystemError) -> any DiskFile {
    try check()
    if hasNoDescriptor { throw SystemError(path + "/" + name, code: 24) }
    let node = Node()
    current[name] = node
    return MemoryFile(node, self)
  }

  func open(_ name: String) throws(SystemError) -> any DiskFile {
    guard let node = current[name] else { throw SystemError(name, code: 2) }
    return MemoryFile(node, self)
  }

  func rename(_ name: String, to other: String) throws(SystemError) {
    try check()
    var changed = current
    changed[other] = changed.removeValue(forKey: name)
    current = changed
  }

  func remove(_ name: String) {
    guard !isOff, current[name] != nil else { return }
    current[name] = nil
  }

  func synchronize() throws(SystemError) {
    try check()
    names = [current]
  }

  func confirm(_ name: String, is file: any DiskFile) throws(SystemError) {
    guard let node = current[name], (file as? MemoryFile)?.node === node else {
      throw SystemError(path + "/" + name, reason: "The file was removed")
    }
  }

  func restore() throws(SystemError) {}

  private final class MemoryFile: DiskFile {
    fileprivate let node: Node
    private let disk: MemoryDisk

    init(_ node: Node, _ disk: MemoryDisk) {
      self.node = node
      self.disk = disk
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
      let action = disk.begin()
      let count = action == nil ? bytes.count : Int.random(in: 0..<bytes.count, using: &disk.random)
      if node.now.count < offset { node.now += [UInt8](repeating: 0, count: offset - node.now.count) }
      node.now.replaceSubrange(offset..<min(node.now.count, offset + count), with: bytes[..<count])
      node.dirty.append(offset..<offset + count)
      switch action {
      case .error(let code): throw SystemError("write", code: code)
      case .powerLoss: throw SystemError("write", code: 5)
      case nil: return
      }
    }

    func truncate(to count: Int) throws(SystemError) {
      try disk.check()
      node.now.removeLast(max(0, node.now.count - count))
    }

    func synchronize() throws(SystemError) {
      switch disk.begin() {
      case .error(let code):
        node.kept = disk.torn(node)
        node.dirty = []
        throw SystemError("sync", code: code)
      case .powerLoss: throw SystemError("sync", code: 5)
      case nil: node.keep()
      }
    }
  }
}

extension MemoryDisk {
  /// Returns the disk after a loss of power: the names at some time since the last synchronization, and of each file
  /// the pages that happened to be written.
  func afterPowerLoss(seed: UInt64) -> MemoryDisk {
    random = SplitMix64(seed: seed)
    let left = MemoryDisk(seed: seed)
    var kept: [String: Node] = [:]
    for (name, node) in names[Int.random(in: 0..<names.count, using: &random)] {
      let copy = Node()
      copy.kept = torn(node)
      copy.now = copy.kept
      kept[name] = copy
    }
    left.names = [kept]
    return left
  }

  /// Some pages are current and the others old; the length is the current one, the old one, or one between.
  fileprivate func torn(_ node: Node) -> [UInt8] {
    let page = [16, 64, 512, 4_096][Int.random(in: 0..<4, using: &random)]
    var bytes = node.kept
    if node.now.count > bytes.count {
      let gain = node.now.count - bytes.count
      let count = random.next() % 3 == 0 ? gain : Int.random(in: 0...gain, using: &random)
      bytes += [UInt8](repeating: 0, count: count)
    } else if random.next() % 2 == 0 {
      bytes.removeLast(bytes.count - node.now.count)
    }
    let share = random.next() % 5
    for start in stride(from: 0, to: bytes.count, by: page) where random.next() % 4 < share {
      let end = min(start + page, bytes.count, node.now.count)
      if start < end { bytes.replaceSubrange(start..<end, with: node.now[start..<end]) }
    }
    return bytes
  }
}
