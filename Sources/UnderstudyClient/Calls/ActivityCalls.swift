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
  public func list() async throws(RequestError) -> [Activity] {
    try await fetchList().value
  }

  func fetchList() async throws(RequestError) -> CachedValue<[Activity]> {
    try await client.perform(call("listActivities") { try $0.decoded() }).fetched
  }

  public func get(_ id: Int) async throws(RequestError) -> Activity {
    try await client.perform(call("getActivity", ["\(id)"]) { try Self.activity(id, $0) }).value
  }

  /// Archives or restores a call, and returns the changed call.
  ///
  /// The request sets an absolute value, so it is retried after a lost response.
  public func setArchived(_ isArchived: Bool, for id: Int) async throws(RequestError) -> Activity {
    var call = call("updateActivity", ["\(id)"], repeatability: .always) { response in
      let activity = try Self.activity(id, response)
      guard activity.isArchived == isArchived else {
        throw UnreadableBody("The call in the response does not have the requested state.")
      }
      return activity
    }
    call.body = try JSONBody.encode(["is_archived": isArchived])
    return try await client.perform(call).value
  }

  /// Resets all calls to their initial state. This GET changes state, and may be repeated.
  public func reset() async throws(RequestError) {
    struct Done: Decodable {
      var message: String
    }
    _ = try await client.perform(call("resetActivities") { try $0.decoded(as: Done.self).message })
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
