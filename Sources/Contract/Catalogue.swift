extension API {
  /// Every API there is, in the order in which origins on ports of their own are numbered.
  package static let all: [API] = [.devices, .activities, .house, .users, .booking]
}
