import Contract
import Foundation

extension BackendClient {
  /// The users of a practice service, which responds to writes and discards them (source: `/users`, `/users/{id}`).
  public var users: UserCalls { UserCalls(client: self) }
}

/// The operations of the users API.
public struct UserCalls: Sendable {
  let client: BackendClient

  /// Returns the users that match a query, all by default.
  public func list(_ query: UserQuery = UserQuery()) async throws -> UserPage {
    let call = Call("listUsers", of: .users, at: client.endpoints.users, query: query.items) { response in
      UserPage(
        users: try response.decoded(), totalCount: response.header("X-Total-Count").flatMap { Int($0) })
    }
    return try await client.value(of: call)
  }

  /// Returns all users, in the service's order.
  func fetchAll() async throws(RequestError) -> CachedValue<[User]> {
    try await client.perform(
      Call("listUsers", of: .users, at: client.endpoints.users) { try $0.decoded(as: [User].self) }
    ).fetched
  }

  /// Returns one user.
  ///
  /// - Throws: `.rejected` with 404 for an unknown user.
  public func get(_ id: Int) async throws -> User {
    try await client.value(of: call("getUser", ["\(id)"]) { try Self.checked($0.decoded(as: User.self), id, \.id) })
  }

  /// Adds a user (the service does not store it). This POST has no key: after a lost response it is not sent again, and
  /// `.unknown` is thrown.
  public func create(_ draft: UserDraft) async throws -> WrittenUser {
    var call = call("createUser") { try $0.decoded(as: WrittenUser.self) }
    call.body = try JSONBody.encode(draft)
    return try await client.value(of: call)
  }

  /// Replaces a user by the draft.
  public func replace(_ id: Int, with draft: UserDraft) async throws -> WrittenUser {
    try await write("replaceUser", id, draft) { try $0.decoded() }
  }

  /// Merges the draft's fields into a user, one level deep: an address replaces the whole address.
  ///
  /// For an unknown user, the service also accepts changes, and returns only them.
  public func update(_ id: Int, with changes: UserDraft) async throws -> WrittenUser {
    try await write("updateUser", id, changes) { response in
      // A response without an id that differs from the changes does not come from the service.
      if let echo = try? response.decoded(as: UserDraft.self), echo == changes,
        try response.decoded(as: UserID.self).id == nil
      {
        return WrittenUser(id: id, fields: echo)
      }
      return try response.decoded()
    }
  }

  private struct UserID: Decodable {
    let id: Int?
  }

  /// Deletes a user (the service does not store this). The response is the same for an unknown user.
  public func delete(_ id: Int) async throws {
    _ = try await client.value(
      of: call("deleteUser", ["\(id)"], repeatability: .always) { try $0.decoded(as: [String: String].self) })
  }

  private func write(
    _ operation: String, _ id: Int, _ draft: UserDraft,
    decode: @escaping @Sendable (TransportResponse) throws -> WrittenUser
  ) async throws -> WrittenUser {
    var call = call(operation, ["\(id)"], repeatability: .always) { response in
      try Self.checked(decode(response), id, \.id)
    }
    call.body = try JSONBody.encode(draft)
    return try await client.value(of: call)
  }

  private static func checked<Value>(_ value: Value, _ id: Int, _ key: (Value) -> Int) throws -> Value {
    guard key(value) == id else { throw UnreadableBody("The response has the user \(key(value)) instead of \(id).") }
    return value
  }

  private func call<Value>(
    _ id: String, _ arguments: [String] = [], repeatability: Repeatability? = nil,
    decode: @escaping @Sendable (TransportResponse) throws -> Value
  ) -> Call<Value> {
    Call(
      id, of: .users, at: client.endpoints.users, arguments: arguments, repeatability: repeatability, decode: decode)
  }
}
