import Contract
import Foundation

extension BackendClient {
  /// The users of a practice service, which answers writes and forgets them (source: `/users`, `/users/{id}`).
  public var users: UserCalls { UserCalls(client: self) }
}

/// Calls to the users API.
public struct UserCalls: Sendable {
  let client: BackendClient

  public func list(_ query: UserQuery = UserQuery()) async throws(RequestError) -> UserPage {
    let call = Call("listUsers", of: .users, at: client.endpoints.users, query: query.items) { response in
      UserPage(
        users: try response.decoded(), totalCount: response.header("X-Total-Count").flatMap { Int($0) })
    }
    return try await client.perform(call).value
  }

  /// All users, in the service's order.
  func fetchAll() async throws(RequestError) -> Fetched<[User]> {
    try await client.perform(
      Call("listUsers", of: .users, at: client.endpoints.users) { try $0.decoded(as: [User].self) }
    ).fetched
  }

  /// - Throws: `.rejected` with 404 for an unknown user.
  public func get(_ id: Int) async throws(RequestError) -> User {
    try await client.perform(call("getUser", ["\(id)"]) { try Self.checked($0.decoded(as: User.self), id, \.id) }).value
  }

  /// Adds a user, as far as the service goes. A POST without a key: after a lost reply it is not sent again, and
  /// `.unknown` is thrown.
  public func create(_ draft: UserDraft) async throws(RequestError) -> WrittenUser {
    var call = call("createUser") { try $0.decoded(as: WrittenUser.self) }
    call.body = try JSONBody.encode(draft)
    return try await client.perform(call).value
  }

  /// Puts the draft in a user's place.
  ///
  /// - Throws: `.rejected` with 404 for an unknown user.
  public func replace(_ id: Int, with draft: UserDraft) async throws(RequestError) -> WrittenUser {
    try await write("replaceUser", id, draft) { try $0.decoded() }
  }

  /// Writes the draft's fields over a user's, one level deep: a given address replaces the whole address.
  ///
  /// The service takes changes of a user that it does not have, too, and answers with the changes alone.
  public func update(_ id: Int, with changes: UserDraft) async throws(RequestError) -> WrittenUser {
    try await write("updateUser", id, changes) { response in
      // A reply without an id that says anything else than the changes is not the service's.
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

  /// Deletes a user, as far as the service goes. It answers the same for a user that it does not have.
  public func delete(_ id: Int) async throws(RequestError) {
    _ = try await client.perform(
      call("deleteUser", ["\(id)"], repeatability: .always) { try $0.decoded(as: [String: String].self) })
  }

  private func write(
    _ operation: String, _ id: Int, _ draft: UserDraft,
    decode: @escaping @Sendable (TransportResponse) throws -> WrittenUser
  ) async throws(RequestError) -> WrittenUser {
    var call = call(operation, ["\(id)"], repeatability: .always) { response in
      try Self.checked(decode(response), id, \.id)
    }
    call.body = try JSONBody.encode(draft)
    return try await client.perform(call).value
  }

  private static func checked<Value>(_ value: Value, _ id: Int, _ key: (Value) -> Int) throws -> Value {
    guard key(value) == id else { throw UnreadableBody("It is the user \(key(value)) and not \(id).") }
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
