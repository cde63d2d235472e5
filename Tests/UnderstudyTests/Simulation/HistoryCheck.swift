import JSON
import Primitives
import Services

@testable import Faults
@testable import Report
@testable import Understudy

/// Applies the changes in a journal to a model, version by version, and compares the result.
struct HistoryCheck {
  let ledger: ObservedJournal
  let requests: [Int: SimulatedRequest]
  private(set) var findings: [String] = []
  private(set) var model: Model
  /// The model at each version, for snapshots.
  private var states: [Model]
  private var usedKeys: Set<String> = []

  init(_ ledger: ObservedJournal, _ requests: [Int: SimulatedRequest]) {
    self.ledger = ledger
    self.requests = requests
    model = ledger.start
    states = [model]
    findings = ledger.findings
    checkEntries()
    fold()
    for line in ledger.lines { checkIdle(line) }
  }

  private mutating func checkEntries() {
    for line in ledger.lines {
      let entry = line.entry
      if entry.outcome == .pending, !line.isForgotten { find("entry \(entry.id) is still pending") }
      if entry.isApplied, let fault = line.plan.fault, fault.phase == .before, Self.prevents(fault.action, line) {
        find("entry \(entry.id) was applied although \(fault.action.description) hit before")
      }
      if let first = entry.replayOf.flatMap({ ledger.line($0) }) { checkReplay(line, of: first) }
      if !entry.isApplied, entry.versions?.isEmpty == false {
        find("entry \(entry.id) has versions and is not applied")
      }
    }
  }

  /// A replay has the plan of the original, of which no byte arrived, unless there is an outage.
  private mutating func checkReplay(_ line: ObservedJournal.Line, of first: ObservedJournal.Line) {
    let hasSameFate = line.plan == first.plan || line.plan.ending == .offline
    if !hasSameFate || line.entry.n != first.entry.n {
      find("entry \(line.entry.id) repeats \(first.entry.id) with another fate")
    }
    if line.number != first.number || first.entry.response != nil {
      find("entry \(line.entry.id) repeats nothing that was lost in \(first.entry.id)")
    }
  }

  /// Returns true if a fault of phase `before` prevents the change. A delayed or a stale response does not.
  private static func prevents(_ action: FaultAction, _ line: ObservedJournal.Line) -> Bool {
    // Nor does a fault that cannot be applied; this is not recorded if the peer left.
    if line.entry.outcome == .notDeliverable { return false }
    let isDeliverable = line.plan.obstacle(bodyBytes: 0, hasChunks: false, isStream: false) == nil
    if line.entry.outcome == .peerGone, !isDeliverable { return false }
    return switch action {
    case .status: true
    case .damage(let damage): !damage.isStale && !damage.isTruthful
    case .ending(let ending): ending.hold.map { $0.then != .resume || $0.duration == nil } ?? true
    }
  }

  private mutating func fold() {
    let changes = ledger.lines.filter { $0.entry.isApplied && $0.entry.versions?.isEmpty == false }
      .sorted { ($0.entry.versions?.lowerBound ?? 0) < ($1.entry.versions?.lowerBound ?? 0) }
    var version = 0
    for line in changes {
      guard let versions = line.entry.versions else { continue }
      passForgotten(from: &version, to: versions.lowerBound)
      if versions.lowerBound != version || versions.count != 1 {
        find("entry \(line.entry.id) stands for versions \(versions) where \(version) was next")
      }
      apply(line)
      version = versions.upperBound
      states += Array(repeating: model, count: max(0, version + 1 - states.count))
    }
    passForgotten(from: &version, to: ledger.sandbox.state.store.version)
    if version != ledger.sandbox.state.store.version {
      find("the journal tells of \(version) changes, the state of \(ledger.sandbox.state.store.version)")
    }
    let document = ledger.sandbox.state.store.json
    if !model.agrees(with: document) { find("the model ends as \(model), the state as \(document.text)") }
  }

  /// A request that was performed without a change must have had nothing to change at its version.
  private mutating func checkIdle(_ line: ObservedJournal.Line) {
    guard let version = line.entry.versions, version.isEmpty, version.lowerBound < states.count,
      let request = line.number.flatMap({ requests[$0] }), request.idempotencyKey == nil, request.meaning != .other
    else { return }
    if let fault = line.plan.fault, fault.phase == .before, line.entry.outcome != .notDeliverable { return }
    var state = states[version.lowerBound]
    if state.apply(request.meaning) {
      find("entry \(line.entry.id), \(request.meaning), was carried out at version \(version.lowerBound) and not done")
    }
  }

  private mutating func passForgotten(from version: inout Int, to next: Int) {
    while version < next, let id = ledger.changes[version], let line = ledger.line(id), line.isForgotten {
      apply(line)
      version += 1
      states.append(model)
    }
  }

  private mutating func apply(_ line: ObservedJournal.Line) {
    if let event = line.event { return apply(event, line) }
    guard let request = line.number.flatMap({ requests[$0] }) else {
      return find("entry \(line.entry.id) belongs to no request")
    }
    if let key = request.idempotencyKey, !usedKeys.insert(key).inserted {
      find("entry \(line.entry.id) acted on the key \(key) a second time")
    }
    if !model.apply(request.meaning) {
      find("entry \(line.entry.id), \(request.meaning), counts as a change and changes nothing in \(model)")
    }
  }

  private mutating func apply(_ event: String, _ line: ObservedJournal.Line) {
    if event == "reset" {
      model = ledger.start
      usedKeys = []
    } else if let version = line.restored, version < states.count {
      model = states[version]
    } else if model.apply(event: event) != true {
      find("entry \(line.entry.id), «\(event)», does not fit \(model)")
    }
  }

  private mutating func find(_ finding: String) {
    findings.append("sandbox \(ledger.sandbox.name): \(finding)")
  }
}
