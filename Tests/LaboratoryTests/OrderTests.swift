import Contract
import Faults
import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

/// The server is linearizable: an order of all reads and writes of a record explains what its clients read.
@Suite("The order of what clients read and write", .busy)
struct OrderTests {
  @Test("explains what the clients of a sound server read, under every kind of fault")
  func sound() throws {
    var operations = 0
    for seed in 0..<UInt64(WholeProof.rounds(8, of: 200)) {
      let judge = try Self.history(seed: seed, damage: nil)
      #expect(judge.unexplained().isEmpty, "seed \(seed)")
      operations += judge.count
    }
    #expect(operations > 0)
    print("laboratory: an order explains \(operations) operations")
  }

  @Test("does not explain the record that a damaged server shows, and explains all others", arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    for seed in 0..<UInt64(WholeProof.rounds(4, of: 100)) {
      #expect(try Self.history(seed: seed, damage: damage).unexplained() == [Damage.device], "seed \(seed)")
    }
  }

  /// Two to five clients that write and read the same two records, with faults between them; then the damage.
  private static func history(seed: UInt64, damage: Damage?) throws -> HistoryJudge {
    let choice = VirtualTime(seed: seed ^ 0x0DE2)
    let notes = Notes()
    // Each request chooses its own fault: a scenario may show an older state, honestly, or a changed one.
    let run = try LaboratoryRun(seed: seed, scenario: .calm)
    for number in 1...choice.integer(2...5) {
      let identity = Client.Identity(name: "app-\(number)", userAgent: "lab", address: "127.0.0.\(number)")
      let client = run.client(identity, choice.pick(Library.wellConfigured), timeout: .seconds(2))
      let count = choice.integer(5...40)
      run.begin("writes and reads", after: choice.milliseconds(0...300)) { done in
        client.writeAndRead(["WWM-0001-12", "HEA-8127-29"], count: count, notes, then: done)
      }
    }
    if let damage {
      let witness = run.client(
        .init(name: "witness", userAgent: "lab", address: "127.0.0.9"), .wellConfigured[0], timeout: .seconds(2))
      run.begin("\(damage)", after: choice.milliseconds(0...90_000)) { done in
        damage.strike(run, witness, notes, then: done)
      }
    }
    _ = try #require(run.finish(), "seed \(seed): the run does not come to its end")
    return notes.judge
  }
}

/// A defect of the server, done to its state behind its back.
enum Damage: CaseIterable {
  /// A read returns what an acknowledged write had replaced; the next is right again.
  case staleRead
  /// An acknowledged write is undone.
  case lostWrite
  /// A read returns what was never written.
  case inventedValue

  /// The record that only the witness uses.
  static let device = "CWM-0012-62"

  func strike(_ run: LaboratoryRun, _ witness: Client, _ notes: Notes, then: @escaping () -> Void) {
    let (first, second) = ("2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z")
    let path = "/devices/\(Self.device)"
    let read = Call(path: path, prefer: "delay=1ms")
    func write(_ date: String) -> Call {
      Call(method: "PATCH", path: path, body: "{\"installationDate\": \"\(date)\"}", prefer: "delay=1ms")
    }
    let shown = self == .inventedValue ? "2020-02-20T20:20:20Z" : first
    witness.sendEach([write(first), write(second), read], notes) {
      run.setInstallationDate(shown, of: Self.device)
      witness.sendEach([read], notes) {
        if self == .staleRead { run.setInstallationDate(second, of: Self.device) }
        witness.sendEach([read], notes, then: then)
      }
    }
  }
}

extension LaboratoryRun {
  /// Changes a record behind the server's back.
  fileprivate func setInstallationDate(_ date: String, of device: String) {
    guard let sandbox = application.state.sandboxes[nil], let devices = sandbox.state.store.data(of: "devices")?.array
    else {
      return
    }
    let changed = devices.map { $0["id"]?.string == device ? $0.merging(["installationDate": .string(date)]) : $0 }
    do {
      try sandbox.state.store.merge(["devices": .array(changed)], at: application.realTime)
    } catch {
      Issue.record("the server cannot be damaged: \(error)")
    }
  }
}

/// The writes and reads of a run's clients, as they know them.
final class Notes {
  private(set) var judge = HistoryJudge()

  /// Adds a request for a device that was sent at a time and has ended.
  func add(_ call: Call, _ outcome: Outcome, sentAt start: MonotonicInstant, endedAt end: MonotonicInstant) {
    let device = String(call.path.dropFirst("/devices/".count))
    let isWrite = call.method == "PATCH"
    var shown: JSONValue?
    if case .response(let response) = outcome, response.status == 200, response.isReadable {
      shown = try? JSONValue(parsing: response.body)
    }
    // A write that was not answered may take effect at any later time, or never.
    let isDone = isWrite ? outcome.isSuccess : shown?["id"]?.string == device
    let value = isWrite ? call.body.flatMap { try? JSONValue(parsing: $0) } : shown
    guard isWrite || isDone, let text = value?["installationDate"]?.text else { return }
    judge.add(
      HistoryJudge.Operation(
        isWrite: isWrite, value: text, start: start.nanoseconds, end: isDone ? end.nanoseconds : nil), on: device)
  }
}

extension Client {
  /// Sends a request once, and notes what became of it.
  fileprivate func send(_ call: Call, _ notes: Notes, then: @escaping () -> Void) {
    let start = time.now
    send(call, usesCache: false) { [self] outcome in
      notes.add(call, outcome, sentAt: start, endedAt: time.now)
      then()
    }
  }

  /// Sends requests one after the other, once each.
  fileprivate func sendEach(_ calls: [Call], _ notes: Notes, then: @escaping () -> Void) {
    guard let call = calls.first else { return then() }
    send(call, notes) { [self] in sendEach(Array(calls.dropFirst()), notes, then: then) }
  }

  /// Writes values of its own to records and reads them, in a drawn order.
  fileprivate func writeAndRead(_ devices: [String], count: Int, _ notes: Notes, then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    let path = "/devices/" + time.pick(devices)
    let faults = [
      "delay=1ms", "delay=1ms", "delay=1ms", "delay=30ms", "delay=90ms", "delay=200ms; phase=after",
      "fault=reset; phase=after", "fault=reset; phase=before",
    ]
    var call = Call(path: path, prefer: time.pick(faults))
    if time.oneIn(2) {
      call.method = "PATCH"
      // Hardly two writes set the same, so a read tells which one it saw.
      let second = time.integer(0...59)
      let text =
        "20\(time.integer(27...99))-0\(time.integer(1...9))-1\(time.integer(0...9))T1\(time.integer(0...9)):00:"
      call.body = "{\"installationDate\": \"\(text)\(second < 10 ? "0" : "")\(second)Z\"}"
    }
    send(call, notes) { [self] in
      time.after(time.milliseconds(5...400)) { [self] in writeAndRead(devices, count: count - 1, notes, then: then) }
    }
  }
}
