import Contract
import JSON

/// The server under judgement, as far as it is known before the first check.
struct Site: Sendable {
  let base: BaseURL
  let addresses: [SocketAddress]
  /// Whether sandboxes can be made, one for each check.
  let hasSandboxes: Bool
  /// Whether the control API answers at all.
  let hasControl: Bool
  /// Whether each API can be asked at an origin of its own, as in `/@booking/rooms`.
  let hasLabels: Bool
  /// The API whose own origin this is, if only one was asked for.
  let onlyAPI: String?
  /// The API whose routes the checks of HTTP itself use.
  let ground: Ground
  /// Whether checks may change what they cannot put back.
  let allowsWrites: Bool
  /// How long one check may wait altogether.
  let patience: Duration

  /// Looks at a server: whether it can be connected to, and whether it has a control API.
  static func explore(_ base: BaseURL, groups: Set<String>, _ conditions: Conditions) throws(JudgeError) -> Site {
    let apis = API.all.map(\.name).filter(groups.contains)
    func site(_ addresses: [SocketAddress], control: Bool, sandboxes: Bool, labels: Bool) -> Site {
      Site(
        base: base, addresses: addresses, hasSandboxes: sandboxes, hasControl: control, hasLabels: labels,
        onlyAPI: apis.count == 1 ? apis.first : nil, ground: Ground(apis.first ?? "devices"),
        allowsWrites: conditions.allowsWrites, patience: conditions.patience)
    }
    let addresses = SocketAddress.resolve(base.host, port: base.port)
    guard !addresses.isEmpty else { throw .cannotConnect("\(base.text): the host \(base.host) has no address") }
    guard Connection(to: addresses, until: .now + conditions.patience) != nil else {
      throw .cannotConnect("\(base.text): nobody answers there")
    }
    let bench = Bench(site: site(addresses, control: false, sandboxes: false, labels: false), sandbox: nil)
    let health = try? bench.get("/_mock/health").json()
    guard health?["status"] == "ok" else {
      return site(addresses, control: false, sandboxes: false, labels: false)
    }
    let labels = (try? bench.get("/@users/users/1"))?.status == 200
    let made = base.path.isEmpty ? try? Sandbox.make(by: bench) : nil
    made?.delete(by: bench)
    return site(addresses, control: true, sandboxes: made != nil, labels: labels)
  }

  /// What the reader of a report must know to weigh it.
  var circumstances: String {
    if hasSandboxes { return "It has the control API: each check had a sandbox of its own." }
    let writes = allowsWrites ? "checks may have left changes behind" : "checks that change for good were skipped"
    return (hasControl ? "It has the control API, yet no sandboxes here: " : "It has no control API: ") + writes + "."
  }
}

/// How careful and how patient a run is.
struct Conditions: Sendable {
  var patience: Duration
  var limit: Duration
  var allowsWrites: Bool

  /// Refuses what nothing could be judged by.
  func checked() throws(JudgeError) -> Conditions {
    guard patience > .zero else { throw .usage("a patience of \(patience) is none: expected more than no time") }
    return self
  }
}

/// Routes of one API on which HTTP itself can be tried: one to read, and one to write that changes nothing.
struct Ground: Sendable {
  let path: String
  /// A write that any server takes and that leaves everything as it is; nil where the API has none.
  let write: (method: String, path: String, body: String)?

  init(_ api: String) {
    switch api {
    case "activities": (path, write) = ("/activities", ("POST", "/activities/7834", "{}"))
    case "house": (path, write) = ("/rooms", nil)
    case "users": (path, write) = ("/users/1", ("PATCH", "/users/1", "{}"))
    case "booking": (path, write) = ("/rooms.json", ("POST", "/book", "{\"name\":null}"))
    default: (path, write) = ("/devices", ("PATCH", "/devices/WWM-0001-12", "{}"))
    }
  }
}

/// A sandbox that was made for one check.
struct Sandbox: Sendable {
  let name: String

  static func make(by bench: Bench, _ order: JSON = ["ttl": "5m"]) throws(Finding) -> Sandbox {
    let answer = try bench.ask("POST", "/_mock/sandboxes", body: order.text)
    guard answer.status == 201, let name = try answer.json()["name"]?.string else {
      throw .skipped("a sandbox could not be made: \(answer.evidence)")
    }
    return Sandbox(name: name)
  }

  func delete(by bench: Bench) { _ = try? bench.ask("DELETE", "/_mock/sandboxes/\(name)") }
}
