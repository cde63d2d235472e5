/// The users of a service, one of whom is the owner.
public struct UserChoices: Sendable, Hashable, Codable {
  /// The id, as text, of the chosen owner; nil before the first choice.
  public var ownerID: String?
  /// All users in the service's order.
  var all: [User]

  init(ownerID: String? = nil, all: [User] = []) {
    self.ownerID = ownerID
    self.all = all
  }

  /// The owner; nil if no user has that id.
  public var owner: User? { all.first { String($0.id) == ownerID } }
  /// All users except the owner, the last first.
  public var others: [User] { all.reversed().filter { String($0.id) != ownerID } }
  /// The users to choose from: the owner first, then the others.
  public var users: [User] { (owner.map { [$0] } ?? []) + others }
}
