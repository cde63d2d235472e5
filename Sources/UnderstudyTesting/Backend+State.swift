public import Foundation
import JSON

extension Backend {
  /// Returns the data of all APIs as JSON.
  public func stateJSON() async throws(BackendError) -> Data {
    Data(try await client.send(.get, "/_mock/state"))
  }

  /// Changes the data by a JSON merge patch (RFC 7396), as in `{"house": {"temperature": 31}}`.
  public func mergeState(_ patch: Data) async throws(BackendError) {
    try await client.send(.patch, "/_mock/state", try JSONValue(argument: Array(patch), "merge patch"))
  }

  /// Returns the data of one API, decoded as the caller's own type.
  public func state<Value: Decodable>(of api: API, as type: Value.Type) async throws(BackendError) -> Value {
    let state = try JSONValue(response: try await client.send(.get, "/_mock/state"))
    guard let part = state[api.rawValue] else { throw .unusable("The state has no \(api).") }
    do {
      return try JSONDecoder().decode(type, from: Data(part.bytes()))
    } catch {
      throw .unusable("The state of \(api) is not a valid \(type): \(error)")
    }
  }

  /// Sets the data of one API. In an object, members that `value` does not encode keep their values.
  public func setState(of api: API, to value: some Encodable) async throws(BackendError) {
    let bytes: Data
    do {
      bytes = try JSONEncoder().encode(value)
    } catch {
      throw .unusable("The value for \(api) cannot be encoded: \(error)")
    }
    let patch = JSONValue.Object([
      JSONValue.Member(api.rawValue, try JSONValue(argument: Array(bytes), "encoded value"))
    ])
    try await client.send(.patch, "/_mock/state", .object(patch))
  }

  /// Returns the data of all five APIs.
  public func state() async throws(BackendError) -> State {
    do {
      return try JSONDecoder().decode(State.self, from: try await stateJSON())
    } catch let error as BackendError {
      throw error
    } catch {
      throw .unusable("The server's state has another shape than expected: \(error)")
    }
  }

  /// Changes the data: `try await backend.updateState { $0.house.temperature = 31 }`.
  ///
  /// Only the data of APIs that `change` modifies is written.
  public func updateState(_ change: (inout State) -> Void) async throws(BackendError) {
    let old = try await state()
    var new = old
    change(&new)
    if new.devices != old.devices { try await setState(of: .devices, to: new.devices) }
    if new.activities != old.activities { try await setState(of: .activities, to: new.activities) }
    if new.house != old.house { try await setState(of: .house, to: new.house) }
    if new.users != old.users { try await setState(of: .users, to: new.users) }
    if new.booking != old.booking { try await setState(of: .booking, to: new.booking) }
  }

  /// The data of a sandbox.
  public struct State: Sendable, Equatable, Decodable {
    public var devices: [Device]
    public var activities: [Activity]
    public var house: House
    public var users: [User]
    public var booking: Booking
  }
}

extension Backend.State {
  public struct Device: Sendable, Equatable, Codable {
    public var id: String
    public var type: String
    public var meterPointDescription: String
    /// An RFC 3339 date-time; nil for a device that is not installed.
    public var installationDate: String?

    public init(id: String, type: String, meterPointDescription: String, installationDate: String? = nil) {
      (self.id, self.type, self.meterPointDescription) = (id, type, meterPointDescription)
      self.installationDate = installationDate
    }

    /// Writes null for a device that is not installed, because the server requires the member.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      try container.encode(type, forKey: .type)
      try container.encode(meterPointDescription, forKey: .meterPointDescription)
      try container.encode(installationDate, forKey: .installationDate)
    }
  }

  public struct House: Sendable, Equatable, Codable {
    /// Degrees Celsius.
    public var temperature: Double
    /// By room and fixture: true if the fixture is on.
    public var rooms: [String: [String: Bool]]
  }

  public struct Booking: Sendable, Equatable, Codable {
    public var rooms: [Room]

    public struct Room: Sendable, Equatable, Codable {
      public var name: String
      /// The number of free spots.
      public var spots: Int
      /// True if the picture's height is greater than its width.
      public var portrait: Bool?

      public init(name: String, spots: Int, portrait: Bool? = nil) {
        (self.name, self.spots, self.portrait) = (name, spots, portrait)
      }
    }
  }
}
