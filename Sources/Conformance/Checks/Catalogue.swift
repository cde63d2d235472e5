import Contract

extension Check {
  /// All checks, in the order of a report.
  static let all: [Check] = {
    let own = ["devices": devices, "activities": activities, "house": house, "users": users, "booking": booking]
    let apis = API.all.flatMap { walk($0, $0.name) + shared($0) + [undeclared($0)] + (own[$0.name] ?? []) }
    return apis + httpConnections + httpRequests + httpFraming + control
  }()
}
