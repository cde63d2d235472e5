import Contract

/// The API and the sandbox that a request names, in its host, its path or a field.
struct Labels: Sendable, Equatable {
  /// The API's index in the catalogue.
  var api: Int?
  var sandbox: String?

  init(api: Int? = nil, sandbox: String? = nil) {
    self.api = api
    self.sandbox = sandbox
  }

  /// The error of two labels of the same kind, which are refused even if they agree.
  struct Conflict: Error, Equatable {
    let first: String
    let second: String
    /// The first named API, in whose form the error is described.
    let api: Int?
  }

  /// Adds a label, which is an API's name or else a sandbox's.
  mutating func add(_ label: String, _ apis: [API]) throws(Conflict) {
    if let index = apis.firstIndex(where: { $0.name == label }) {
      try add(Labels(api: index), apis)
    } else {
      try add(Labels(sandbox: label), apis)
    }
  }

  mutating func add(_ other: Labels, _ apis: [API]) throws(Conflict) {
    if let index = other.api {
      if let api { throw Conflict(first: apis[api].name, second: apis[index].name, api: api) }
      api = index
    }
    if let name = other.sandbox {
      if let sandbox { throw Conflict(first: sandbox, second: name, api: api) }
      sandbox = name
    }
  }
}
