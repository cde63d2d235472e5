extension API {
  /// All APIs, in the order in which they get ports of their own.
  package static let all: [API] = [.devices, .activities, .house, .users, .booking]
}
