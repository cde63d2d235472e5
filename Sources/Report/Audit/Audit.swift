import Contract
import Faults
import JSON

/// The state that the applied writes must have produced, computed from the writes alone.
///
/// It contains one value for each written register and one number for each counter that was taken from, so its size is
/// bounded by the data, and by `maximumRegisters`.
struct Audit: Sendable {
  static let maximumRegisters = 30_000

  private(set) var acknowledged = 0
  private(set) var rejected = 0
  private(set) var unknown = 0
  private var dropped = Evidence()
  private var droppedCount = 0
  private var doubled = Evidence()
  private var doubledCount = 0
  /// The last value written to each register.
  private var written: [Register: Written] = [:]
  private var isOverfull = false
  /// The writes applied under a key: the server promises to apply each key once.
  private var keys = RecentTable<Int>(capacity: IdempotencyKey.capacity)
  /// The version after which every change is accounted for.
  private var baseline = 0
  /// The version up to which every change is known. Exchanges do not end in the order in which they are performed, so
  /// changes after a gap are stored separately until the gap is filled.
  private var known = 0
  private var beyond: Set<Int> = []
  /// The version at which an API's registers were last replaced all at once.
  private var floors: [String: Int] = [:]
  private var counters: [Register: Int] = [:]
  private var decrements: [Register: Int] = [:]
  private var rivals: Int?

  private struct Written: Sendable {
    let value: JSONValue
    let version: Int
    let id: Int
  }

  mutating func observe(_ seen: Observation) {
    if seen.isApplied, let versions = seen.versions { account(versions) }
    switch seen.effect {
    case .none, .read: return
    case .restore(let api, _):
      guard seen.isApplied, let versions = seen.versions else { return }
      // One that was carried out earlier may end later.
      floors[api] = max(floors[api] ?? 0, versions.upperBound)
      written = written.filter { $0.key.record.api != api || $0.value.version > versions.upperBound }
    case .write(let values):
      countAcknowledgement(seen)
      countKey(seen)
      for index in values.members.indices {
        fold(values.members[index].value, Register(record: values.record, member: values.members[index].name), seen)
      }
    case .decrement(let counter):
      countAcknowledgement(seen)
      let wasApplied = countKey(seen)
      countDecrement(counter, seen, wasApplied: wasApplied)
    }
  }

  private mutating func account(_ versions: Range<Int>) {
    // Mostly there is no gap before them.
    if versions.lowerBound == known, beyond.isEmpty { return known = versions.upperBound }
    for version in versions where version >= known { beyond.insert(version) }
    while beyond.remove(known) != nil { known += 1 }
    // An exchange has hung for so long that waiting for it is not worth the memory.
    if beyond.count > Self.maximumRegisters { isOverfull = true }
    if isOverfull { beyond = [] }
  }

  private mutating func countAcknowledgement(_ seen: Observation) {
    if seen.isAcknowledged {
      acknowledged += 1
    } else if seen.isCertainlyRefused {
      rejected += 1
    } else {
      unknown += 1
    }
  }

  /// Returns true if the write was applied under its key before.
  @discardableResult
  private mutating func countKey(_ seen: Observation) -> Bool {
    guard let key = seen.key else { return false }
    let use = seen.pathHash.mixed(with: Observation.hash(seen.method)).mixed(with: key)
    let before = keys[use]
    guard seen.isApplied else { return before != nil }
    if let before {
      doubledCount += 1
      doubled.add(before, seen.id)
    } else {
      keys[use] = seen.id
    }
    return before != nil
  }

  private mutating func fold(_ value: JSONValue, _ register: Register, _ seen: Observation) {
    guard let versions = seen.versions, versions.lowerBound >= floor(of: register.record.api) else { return }
    let index = written.index(forKey: register)
    if seen.isApplied {
      if let index, written.values[index].version >= versions.upperBound { return }
      store(Written(value: value, version: versions.upperBound, id: seen.id), register, at: index)
    } else if seen.isAcknowledged, seen.key == nil {
      let last = index.map { written.values[$0] }
      guard (last?.version ?? 0) <= versions.lowerBound else { return }
      // Nothing changed, so the value must have been the same before.
      if let last, last.value != value, known >= versions.lowerBound {
        droppedCount += 1
        dropped.add(seen.id)
      } else if last?.value != value {
        store(Written(value: value, version: versions.lowerBound, id: seen.id), register, at: index)
      }
    }
  }

  private func floor(of api: String) -> Int { max(baseline, floors[api] ?? 0) }

  private mutating func store(
    _ value: Written, _ register: Register, at index: Dictionary<Register, Written>.Index?
  ) {
    if let index {
      written.values[index] = value
    } else if written.count == Self.maximumRegisters {
      isOverfull = true
    } else {
      written[register] = value
    }
  }

  private mutating func countDecrement(_ counter: Register, _ seen: Observation, wasApplied: Bool) {
    if seen.isApplied, let versions = seen.versions, versions.lowerBound >= baseline {
      decrements[counter, default: 0] += versions.count
    }
    guard seen.isAcknowledged, !seen.isApplied, !wasApplied else { return }
    // Under a key this may be the stored response to a write whose own response is still being sent.
    if seen.key != nil, known < seen.versions?.lowerBound ?? 0 { return }
    droppedCount += 1
    dropped.add(seen.id)
  }

  mutating func record(_ event: SandboxEvent) {
    switch event {
    case .armed, .refused, .streamEnded: return
    case .rival(let takes, let versions, _):
      rivals = (rivals ?? 0) + (takes ? 1 : -1)
      account(versions)
    case .replaced(let state, _):
      (baseline, known, beyond) = (state.version, state.version, [])
      (counters, decrements, rivals) = (state.counters, [:], nil)
      (written, floors, isOverfull) = ([:], [:], false)
    }
  }
}

extension Audit {
  /// Returns true if every change of the state is known; otherwise writes are in progress, and nothing is compared.
  func isComplete(_ state: CheckContext.State?) -> Bool {
    state.map { $0.version == known } ?? true
  }

  /// Returns the differences as sentences; none if the state is correct.
  func complaints(_ state: CheckContext.State?, _ evidence: inout Evidence) -> [String] {
    var complaints: [String] = []
    if droppedCount > 0 {
      complaints.append(
        "\(ReportText.were(droppedCount, "acknowledged write")) not applied.")
      for id in dropped.ids { evidence.add(id) }
    }
    if doubledCount > 0 {
      complaints.append(
        "\(ReportText.were(doubledCount, "keyed write")) applied twice.")
      for id in doubled.ids { evidence.add(id) }
    }
    guard let state, isComplete(state) else { return complaints }
    let lost = isOverfull ? [:] : written.filter { state.value($0.key) != $0.value.value.text }
    if !lost.isEmpty {
      let example = lost.min { $0.value.id < $1.value.id }
      let name = example?.key.name ?? ""
      complaints.append(
        "\(ReportText.count(lost.count, "register")) \(lost.count == 1 ? "has" : "have") another value than that of "
          + "the last write, for example \(name).")
      for id in lost.values.map(\.id).sorted() { evidence.add(id) }
    }
    if let complaint = counterComplaint(state) { complaints.append(complaint) }
    return complaints
  }

  /// Rivals' moves are known in number and not by record, so with them only the sum is compared.
  private func counterComplaint(_ state: CheckContext.State) -> String? {
    if let rivals {
      let expected = counters.values.reduce(0, +) - decrements.values.reduce(0, +) - rivals
      let found = state.counters.values.reduce(0, +)
      return expected == found
        ? nil
        : "The sum of the counters is \(found), but should be \(expected) after the writes and the rivals' moves."
    }
    for (counter, count) in decrements.sorted(by: { $0.key.name < $1.key.name }) {
      guard let before = counters[counter] else { continue }
      let found = state.counters[counter] ?? 0
      if found != before - count {
        return "\(counter.name) is \(found), but should be \(before - count) after the writes."
      }
    }
    return nil
  }
}

extension Observation {
  /// True if the API itself confirmed the write, and the client could read the response.
  var isAcknowledged: Bool {
    guard let status, (200..<300).contains(status), isSuccess else { return false }
    return !isPlanned || plan.status == nil
  }

  /// True if the client knows that the write was not applied.
  var isCertainlyRefused: Bool {
    switch result {
    case .rejected: true
    case .unavailable(let status): status == 429
    default: false
    }
  }
}
