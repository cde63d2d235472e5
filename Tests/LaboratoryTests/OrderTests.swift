import Contract
import Faults
import JSON
import LiveTesting
import Primitives
import Services
import Testing

@testable import Report
@testable import Understudy

/// The report's search for an order, beside an independent one, on histories of a sound server and of damaged ones.
@Suite("The order of generated histories", .busy)
struct OrderTests {
  @Test("no register of a sound server is without an order, by either search")
  func sound() throws {
    var operations = 0
    for seed in 0..<UInt64(WholeProof.rounds(8, of: 200)) {
      let run = try Self.run(seed: seed, damage: nil)
      let judged = run.backend.state.sandboxes[nil]?.judgedHistory.judged
      let judge = try HistoryJudge(run.history)
      #expect(judged?.violation == nil, "seed \(seed)")
      #expect(judge.unexplained().isEmpty, "seed \(seed)")
      operations += judge.count
    }
    #expect(operations > 0)
    print("laboratory: both searches order \(operations) operations")
  }

  @Test("both searches find the register of a damaged server, and no other", arguments: Damage.allCases)
  func damaged(damage: Damage) throws {
    for seed in 0..<UInt64(WholeProof.rounds(4, of: 100)) {
      let run = try Self.run(seed: seed, damage: damage)
      let judged = run.backend.state.sandboxes[nil]?.judgedHistory.judged
      #expect(judged?.violation?.register == Damage.register, "seed \(seed)")
      #expect(try HistoryJudge(run.history).unexplained() == [Damage.register], "seed \(seed)")
    }
  }

  /// Two to five clients that write and read the same two records, with faults between them; then the damage.
  private static func run(seed: UInt64, damage: Damage?) throws -> LaboratoryRun {
    let choice = VirtualTime(seed: seed ^ 0x0DE2)
    // An outage could keep the witness from seeing the damage.
    let scenarios = Scenarios.builtIn.filter { damage == nil || !$0.rules.contains { $0.effect.kind == Offline.kind } }
    let run = try LaboratoryRun(seed: seed, scenario: choice.pick(scenarios))
    for number in 1...choice.integer(2...5) {
      let identity = Client.Identity(name: "app-\(number)", userAgent: "lab", address: "127.0.0.\(number)")
      let client = run.client(identity, choice.pick(Library.wellConfigured), timeout: .seconds(2))
      let count = choice.integer(5...40)
      run.begin("writes and reads", after: choice.milliseconds(0...300)) { done in
        client.writeAndRead(["WWM-0001-12", "HEA-8127-29"], count: count, then: done)
      }
    }
    if damage == nil, choice.oneIn(2) { run.addMeddling(choice) }
    if let damage {
      let witness = run.client(
        .init(name: "witness", userAgent: "lab", address: "127.0.0.9"), .wellConfigured[0], timeout: .seconds(2))
      run.begin("\(damage)", after: choice.milliseconds(0...90_000)) { done in
        damage.strike(run, witness, then: done)
      }
    }
    _ = try #require(run.finish(), "seed \(seed): the run does not come to its end")
    return run
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
  private static let device = "CWM-0012-62"
  static let register = "devices/\(device)/installationDate"

  func strike(_ run: LaboratoryRun, _ witness: Client, then: @escaping () -> Void) {
    let (first, second) = ("2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z")
    let path = "/devices/\(Self.device)"
    let read = Call(path: path, prefer: "delay=1ms")
    func write(_ date: String) -> Call {
      Call(method: "PATCH", path: path, body: "{\"installationDate\": \"\(date)\"}", prefer: "delay=1ms")
    }
    let shown = self == .inventedValue ? "2020-02-20T20:20:20Z" : first
    witness.sendEach([write(first), write(second), read]) {
      run.setInstallationDate(shown, of: Self.device)
      witness.sendEach([read]) {
        if self == .staleRead { run.setInstallationDate(second, of: Self.device) }
        witness.sendEach([read], then: then)
      }
    }
  }
}

extension LaboratoryRun {
  /// The history as `/_mock/history` exports it.
  fileprivate var history: String {
    String(decoding: backend.state.sandboxes[nil]?.judgedHistory.lines ?? [], as: UTF8.self)
  }

  /// Changes a record without anything that the report learns of.
  fileprivate func setInstallationDate(_ date: String, of device: String) {
    guard let sandbox = backend.state.sandboxes[nil], let devices = sandbox.store.data(of: "devices")?.array else {
      return
    }
    let changed = devices.map { $0["id"]?.string == device ? $0.merging(["installationDate": .string(date)]) : $0 }
    do {
      try sandbox.store.merge(["devices": .array(changed)], at: backend.realTime)
    } catch {
      Issue.record("the server cannot be damaged: \(error)")
    }
  }
}

extension Client {
  /// Sends requests one after the other, once each.
  fileprivate func sendEach(_ calls: [Call], then: @escaping () -> Void) {
    guard let call = calls.first else { return then() }
    send(call, usesCache: false) { [self] _ in sendEach(Array(calls.dropFirst()), then: then) }
  }

  /// Writes values of its own to records and reads them, in a drawn order.
  fileprivate func writeAndRead(_ devices: [String], count: Int, then: @escaping () -> Void) {
    guard count > 0 else { return then() }
    let path = "/devices/" + time.pick(devices)
    let faults = [
      nil, nil, nil, "delay=30ms", "delay=90ms", "delay=200ms; phase=after", "fault=reset; phase=after",
      "fault=reset; phase=before",
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
    send(call, usesCache: false) { [self] _ in
      time.after(time.milliseconds(5...400)) { [self] in writeAndRead(devices, count: count - 1, then: then) }
    }
  }
}
