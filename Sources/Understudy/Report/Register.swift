import Contract
import Faults
import HTTP1
import JSON

/// A part of the state that one write replaces as a whole: what can be audited.
struct Register: Sendable, Hashable {
  let record: Record
  let member: String

  /// The record of an API that a register belongs to.
  struct Record: Sendable, Hashable {
    let api: String
    let id: String

    init(_ api: String, _ id: String) {
      self.api = api
      self.id = id
    }
  }

  struct Value: Sendable, Hashable {
    let register: Register
    /// The value as compact JSON.
    let text: String

    init(_ record: Record, _ member: String, _ text: String) {
      register = Register(record: record, member: member)
      self.text = text
    }
  }

  /// As the history names it: `devices/WWM-0001-12/installationDate`.
  var name: String { "\(record.api)/\(record.id)/\(member)" }

  /// The members of a record that are registers.
  static let members = [
    "devices": ["installationDate", "type", "meterPointDescription"], "activities": ["is_archived"],
  ]

  /// The values of a record as JSON shows it.
  static func values(of record: Record, in json: JSON) -> [Value] {
    (members[record.api] ?? []).compactMap { member in
      json[member].map { Value(record, member, $0.text) }
    }
  }
}

extension Register {
  /// What an exchange did to registers, or told of them.
  ///
  /// - Parameter body: The request's body, where it is JSON; asked for only where it says something.
  static func effect(
    of operation: String, _ arguments: [String], _ body: JSON?, _ exchange: borrowing Exchange,
    _ answer: Backend.Answer?, status: Int?
  ) -> Observation.Effect {
    if let written = effect(ofWriting: operation, arguments, body) { return written }
    switch operation {
    case "getDevice": return read(Record("devices", arguments[0]), exchange, answer, status)
    case "getActivity": return read(Record("activities", arguments[0]), exchange, answer, status)
    default: return .none
    }
  }

  /// The effect of a write on registers; nil for other operations.
  static func effect(ofWriting operation: String, _ arguments: [String], _ body: JSON?) -> Observation.Effect? {
    switch operation {
    case "patchDevice": write(Record("devices", arguments[0]), body)
    case "updateActivity", "patchActivity": write(Record("activities", arguments[0]), body)
    case "bookRoom", "bookRoomByFile", "askToBook", "askToBookByFile":
      body?["name"]?.string.map { .book(room: $0) } ?? Observation.Effect.none
    default: nil
    }
  }

  private static func write(_ record: Record, _ body: JSON?) -> Observation.Effect {
    body.map { .write(values(of: record, in: $0)) } ?? .none
  }

  /// A reply that the plan changed says nothing about the state.
  private static func read(
    _ record: Record, _ exchange: borrowing Exchange, _ answer: Backend.Answer?, _ status: Int?
  ) -> Observation.Effect {
    guard status == 200, !exchange.isHead, exchange.plan.damage == nil, exchange.plan.status == nil,
      let bytes = answer?.reply.representation?.bytes
    else { return .none }
    return .read(record, body: bytes)
  }
}
