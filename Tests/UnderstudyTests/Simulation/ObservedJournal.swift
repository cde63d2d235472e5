import Primitives
import Services

@testable import Faults
@testable import Report
@testable import Understudy

/// The entries of one sandbox's journal so far, kept when a reset clears the journal.
final class ObservedJournal {
  let sandbox: Sandbox
  /// The initial state.
  let start: Model
  private(set) var lines: [Line] = []
  private var indices: [Int: Int] = [:]
  private var seq = 0
  /// The author of each version, if observed; changes of unrecorded exchanges are found only here.
  var changes: [Int: Int] = [:]
  private(set) var findings: [String] = []

  struct Line {
    var entry: Entry
    let plan: Plan
    /// The number that the request carried.
    let number: Int?
    let event: String?
    /// For the restoration of a snapshot, the version of the snapshot.
    var restored: Int?
    /// True if a reset removed the entry before the exchange ended; it may still change the state.
    var isForgotten = false
  }

  init(_ sandbox: Sandbox) {
    self.sandbox = sandbox
    start = Model(sandbox.state.store.json)
  }

  func line(_ id: Int) -> Line? { indices[id].map { lines[$0] } }

  /// Reads the new entries of the journal.
  func read() {
    let journal = sandbox.traffic.journal
    guard journal.lastSeq != seq else { return }
    for entry in journal.entries(after: seq, limit: .max) {
      if let index = indices[entry.id] {
        update(index, entry)
      } else {
        indices[entry.id] = lines.count
        lines.append(line(of: entry))
        if lines.last?.event == "reset" { forget(before: entry.id) }
      }
    }
    seq = journal.lastSeq
  }

  /// An entry is completed once; after that only its outcome may turn out worse.
  private func update(_ index: Int, _ entry: Entry) {
    let old = lines[index].entry
    if lines[index].isForgotten { findings.append("entry \(entry.id) came back after a reset") }
    if old.outcome != .pending, !(old.outcome == .sent && entry.outcome == .peerGone) {
      findings.append("entry \(entry.id) was \(old.outcome.word) and then \(entry.outcome.word)")
    }
    if old.outcome != .pending, old.versions != entry.versions {
      findings.append("entry \(entry.id) changed the versions that it stands for")
    }
    lines[index].entry = entry
  }

  private func forget(before id: Int) {
    for index in lines.indices where lines[index].entry.id < id {
      if [.pending, .sent].contains(lines[index].entry.outcome) { lines[index].isForgotten = true }
    }
  }

  private func line(of entry: Entry) -> Line {
    let plan = entry.plan ?? Plan.none
    if entry.outcome == .event {
      let event = String(decoding: entry.texts.event, as: UTF8.self)
      var line = Line(entry: entry, plan: plan, number: nil, event: event)
      let words = "restored the snapshot "
      if event.hasPrefix(words) {
        line.restored = sandbox.state.snapshots[String(event.dropFirst(words.count))]?.store.version
      }
      return line
    }
    let fields = String(decoding: entry.texts.fields, as: UTF8.self)
    let number = fields.split(separator: "\r\n").first { $0.hasPrefix(SimulatedRequest.numberField) }
      .flatMap { Int($0.dropFirst(SimulatedRequest.numberField.count)) }
    return Line(entry: entry, plan: plan, number: number, event: nil)
  }
}

/// Reads all journals after each event, so that no entry is lost by a reset or a deletion.
final class JournalObserver {
  private let application: Application
  private(set) var journals: [ObservedJournal] = []
  private var suspect: Suspect?

  private typealias Suspect = (ledger: ObservedJournal, id: Int, version: Int)

  init(_ application: Application) {
    self.application = application
    observe()
  }

  func observe() {
    for sandbox in application.state.sandboxes.all where !journals.contains(where: { $0.sandbox === sandbox }) {
      journals.append(ObservedJournal(sandbox))
    }
    for ledger in journals { ledger.read() }
  }

  /// A request whose journal entry was removed, or may be removed, is detected by its change.
  func observe(before connection: borrowing Connection) {
    suspect = nil
    guard let suspended = connection.suspended else { return }
    switch suspended.progress {
    case .planned(let planned): suspect = self.suspect(planned.exchange)
    case .working(let working): suspect = self.suspect(working.exchange)
    default: break
    }
  }

  private func suspect(_ exchange: borrowing Exchange) -> Suspect? {
    ledger(of: exchange).map { ($0, exchange.id, $0.sandbox.state.store.version) }
  }

  func observe(after connection: borrowing Connection) {
    observe()
    guard let suspect = isPlanned(suspect, in: connection) ? nil : suspect else { return attribute(connection) }
    attribute(connection)
    guard suspect.ledger.sandbox.state.store.version > suspect.version else { return }
    suspect.ledger.changes[suspect.version] = suspect.id
  }

  private func attribute(_ connection: borrowing Connection) {
    guard let suspended = connection.suspended else { return }
    switch suspended.progress {
    case .performed(let performed): attribute(performed.exchange, performed.answer)
    case .sending(let sending): attribute(sending.exchange, sending.answer)
    default: break
    }
  }

  private func isPlanned(_ suspect: Suspect?, in connection: borrowing Connection) -> Bool {
    guard let suspended = connection.suspended else { return false }
    switch suspended.progress {
    case .planned(let planned): return isSuspect(suspect, planned.exchange)
    case .working(let working): return isSuspect(suspect, working.exchange)
    default: return false
    }
  }

  private func isSuspect(_ suspect: Suspect?, _ exchange: borrowing Exchange) -> Bool {
    guard let suspect else { return false }
    return exchange.id == suspect.id && exchange.sandbox === suspect.ledger.sandbox
  }

  private func attribute(_ exchange: borrowing Exchange, _ answer: borrowing Application.Answer) {
    guard !answer.versions.isEmpty, let ledger = ledger(of: exchange) else { return }
    ledger.changes[answer.versions.lowerBound] = exchange.id
  }

  private func ledger(of exchange: borrowing Exchange) -> ObservedJournal? {
    exchange.id > 0 ? journals.first { $0.sandbox === exchange.sandbox } : nil
  }
}
