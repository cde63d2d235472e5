import Contract
import JSON

/// What a request means, however it is spelled: another order of keys, a space, a field that nobody reads or a fresh
/// `Idempotency-Key` make no other request of it.
///
/// The one notion of repetition: attempts are told by it, double effects, and what follows a lost reply.
struct Intent: Sendable, Equatable {
  enum Aim: Sendable {
    /// The reply tells what the records hold.
    case shows
    /// The records hold what it says from then on, whatever they held before: the last one wins.
    case sets
    /// It does something each time.
    case adds
    /// Nothing that could settle what became of a write.
    case none

    var rank: UInt64 {
      switch self {
      case .shows: 0
      case .sets: 1
      case .adds: 2
      case .none: 3
      }
    }
  }

  let aim: Aim
  /// The hash of the record's name; nil for all records of the API.
  let record: UInt64?
  /// The registers of the record that it sets; all of them where none are named.
  let members: Set<String>
  /// The hash of everything that it asks for.
  let meaning: UInt64

  init(_ aim: Aim, record: UInt64?, members: Set<String> = [], meaning: UInt64 = 0) {
    self.aim = aim
    self.record = record
    self.members = members
    self.meaning = meaning
  }

  /// Whether its success tells what became of a write, or makes that moot.
  func settles(_ write: Intent) -> Bool {
    switch aim {
    case .shows: record == nil || record == write.record
    case .sets:
      write.aim == .sets && (record == nil || record == write.record)
        && (members.isEmpty || !write.members.isEmpty && members.isSuperset(of: write.members))
    case .adds, .none: false
    }
  }
}

extension Intent {
  /// What an operation is asked for; nil where the bytes themselves are all that is known.
  ///
  /// - Parameter body: The request's body, where it is JSON; asked for only where it says something.
  init?(_ operation: String, _ arguments: [String], _ body: JSON?) {
    switch operation {
    case "listDevices", "listActivities", "listBookingRooms", "listBookingRoomsByBrief", "getHouseState":
      self.init(.shows, record: nil)
    case "getDevice", "getActivity": self.init(.shows, record: Observation.hash(arguments[0]))
    case "bookRoom", "bookRoomByFile", "askToBook", "askToBookByFile":
      guard let name = body?["name"]?.string else { return nil }
      let room = Observation.hash(name)
      self.init(.adds, record: room, meaning: room)
    case "patchDevice":
      guard let body = body?.object else { return nil }
      let members = body.members.filter { $0.name != "id" || $0.value != .string(arguments[0]) }
      self.init(setting: members, of: Register.Record("devices", arguments[0]))
    case "updateActivity", "patchActivity":
      guard let body = body?.object else { return nil }
      let members = body.members.filter { $0.name == "is_archived" }
      self.init(setting: members, of: Register.Record("activities", arguments[0]))
    case "resetActivities", "resetActivitiesByPatch": self.init(.sets, record: nil)
    case "turnFixtureOn", "turnFixtureOff":
      let fixture = Observation.hash(arguments.map(House.plain).joined(separator: "/"))
      self.init(.sets, record: fixture, meaning: fixture.mixed(with: operation == "turnFixtureOn" ? 1 : 0))
    default: return nil
    }
  }

  private init(setting members: [JSON.Member], of record: Register.Record) {
    let object = JSON.Object(members)
    let hash = Observation.hash(record.id)
    // Only names that the server knows are kept: a body may hold any number of others, and is refused for them.
    let registers = (Register.members[record.api] ?? []).filter { object[$0] != nil }
    // A body that sets no register changes nothing, so it makes nothing moot.
    self.init(
      registers.isEmpty ? .none : .sets, record: hash, members: Set(registers),
      meaning: hash.mixed(with: Observation.hash(JSON.object(object).sorted.bytes()[...])))
  }
}

extension JSON {
  /// The same with all members in the order of their names.
  fileprivate var sorted: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(
        JSON.Object(object.members.map { Member($0.name, $0.value.sorted) }.sorted { $0.name < $1.name }))
    default: self
    }
  }
}
