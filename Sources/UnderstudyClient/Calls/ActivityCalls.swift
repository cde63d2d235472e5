import Contract
import Foundation

extension BackendClient {
  /// The calls of a company (source: `GET /activities`, `GET` and `POST /activities/{id}`, `GET /reset`).
  public var activities: ActivityCalls { ActivityCalls(client: self) }
}

/// The operations of the activities API.
public struct ActivityCalls: Sendable {
  let client: BackendClient

  /// Returns all calls, archived ones included, the latest first.
  public func list() async throws -> [Activity] {
    try await client.value(of: listing())
  }

  /// Returns one call.
  ///
  /// - Throws: `.rejected` with 404 if it does not exist.
  public func get(_ id: Int) async throws -> Activity {
    try await client.value(of: reading(id))
  }

  /// Archives or restores a call, and returns the changed call.
  ///
  /// The request sets an absolute value, so it is retried after a lost response.
  @discardableResult
  public func setArchived(_ isArchived: Bool, for id: Int) async throws -> Activity {
    try await client.value(of: archiving(isArchived, id))
  }

  /// Resets all calls to their initial state. This GET changes state, and may be repeated.
  public func reset() async throws {
    try await client.value(of: resetting())
  }

  func listing() -> Call<[Activity]> { call("listActivities") { try $0.decoded() } }

  func reading(_ id: Int) -> Call<Activity> { call("getActivity", ["\(id)"]) { try Self.activity(id, $0) } }

  func archiving(_ isArchived: Bool, _ id: Int) throws(RequestError) -> Call<Activity> {
    var call = call("updateActivity", ["\(id)"], repeatability: .always) { response in
      let activity = try Self.activity(id, response)
      guard activity.isArchived == isArchived else {
        throw UnreadableBody("The call in the response does not have the requested state.")
      }
      return activity
    }
    call.body = try JSONBody.encode(["is_archived": isArchived])
    return call
  }

  func resetting() -> Call<Void> {
    struct Done: Decodable {
      var message: String
    }
    return call("resetActivities") { _ = try $0.decoded(as: Done.self).message }
  }

  private static func activity(_ id: Int, _ response: TransportResponse) throws -> Activity {
    let activity: Activity = try response.decoded()
    guard activity.id == id else { throw UnreadableBody("The response has the call \(activity.id) instead of \(id).") }
    return activity
  }

  private func call<Value>(
    _ id: String, _ arguments: [String] = [], repeatability: Repeatability? = nil,
    decode: @escaping @Sendable (TransportResponse) throws -> Value
  ) -> Call<Value> {
    Call(
      id, of: .activities, at: client.endpoints.activities, arguments: arguments, repeatability: repeatability,
      decode: decode)
  }
}
