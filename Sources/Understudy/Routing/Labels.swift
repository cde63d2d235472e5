import Contract

/// The API and the sandbox that a request names, in its host, its path or a field.
struct Labels: Sendable, Equatable {
  /// The API's index in the catalogue.
  var api: Int?
  var sandbox: String?
  /// True for the port in front of a backend that serves the control API alone, to browsers, too.
  var isControl = false
  /// True if the sandbox is named by a host that may be no label: it counts only where nothing else names one.
  private var isTentative = false

  init(api: Int? = nil, sandbox: String? = nil) {
    self.api = api
    self.sandbox = sandbox
  }

  /// Creates the label of a host in front of a backend, of which no sandbox has the name.
  init(tentative sandbox: String) {
    self.sandbox = sandbox
    isTentative = true
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
    guard let name = other.sandbox, !other.isTentative || sandbox == nil else { return }
    if let sandbox, !isTentative { throw Conflict(first: sandbox, second: name, api: api) }
    (sandbox, isTentative) = (name, other.isTentative)
  }
}
