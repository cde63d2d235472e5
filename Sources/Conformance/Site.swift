import Contract
import JSON

/// The server under judgement, as far as it is known before the first check.
struct Site: Sendable {
  let base: BaseURL
  let addresses: [SocketAddress]
  let control: Control
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
  /// What the control API asks for where others than this machine's programs reach it.
  var adminToken: String?

  /// Whether sandboxes can be made, one for each check.
  var hasSandboxes: Bool { control == .sandboxes }

  /// What the server's control API is good for here.
  enum Control: Equatable {
    case none
    /// It answers, and yet there can be no sandboxes, for this reason.
    case withoutSandboxes(String)
    case sandboxes
  }

  /// Looks at a server: whether it can be connected to, and whether it has a control API.
  static func explore(_ base: BaseURL, groups: Set<String>, _ conditions: Conditions) throws(JudgeError) -> Site {
    let apis = API.all.map(\.name).filter(groups.contains)
    func site(_ addresses: [SocketAddress], _ control: Control, labels: Bool) -> Site {
      Site(
        base: base, addresses: addresses, control: control, hasLabels: labels,
        onlyAPI: apis.count == 1 ? apis.first : nil, ground: Ground(apis.first ?? "devices"),
        allowsWrites: conditions.allowsWrites, patience: conditions.patience, adminToken: conditions.adminToken)
    }
    let addresses = SocketAddress.resolve(base.host, port: base.port)
    guard !addresses.isEmpty else { throw .cannotConnect("\(base.text): the host \(base.host) has no address") }
    guard Connection(to: addresses, until: .now + conditions.patience) != nil else {
      throw .cannotConnect("\(base.text): nobody answers there")
    }
    // The token is for a server that has a control API; whether this is one is asked without it.
    let bench = Bench(site: site(addresses, .none, labels: false), sandbox: nil)
    let health = try? bench.withoutToken.get("/_mock/health").json()
    guard health?["status"] == "ok" else { return site(addresses, .none, labels: false) }
    let labels = (try? bench.get("/@users/users/1"))?.status == 200
    return site(addresses, control(by: bench), labels: labels)
  }

  /// Whether a sandbox can be made, and reached from this origin: a sandbox's own port, for one, leads to that alone.
  private static func control(by bench: Bench) -> Control {
    guard bench.site.base.path.isEmpty else { return .withoutSandboxes("they are made where the address has no path") }
    do throws(Finding) {
      let made = try Sandbox.make(by: bench)
      defer { made.delete(by: bench) }
      let answer = try bench.follow("/@\(made.name)/_mock/health")
      return answer.status == 200
        ? .sandboxes
        : .withoutSandboxes("one can be made, and is not reached from here: \(answer.status) to \(answer.asked)")
    } catch {
      switch error {
      case .skipped(let reason): return .withoutSandboxes(reason)
      case .failed(let expected, let found): return .withoutSandboxes("expected \(expected), found \(found)")
      }
    }
  }

  /// What the reader of a report must know to weigh it.
  var circumstances: String {
    let writes = allowsWrites ? "checks may have left changes behind" : "checks that change for good were skipped"
    return switch control {
    case .sandboxes: "It has the control API: each check had a sandbox of its own."
    case .withoutSandboxes(let reason):
      "It has the control API, yet no sandboxes here (\(withoutToken(reason))): \(writes)."
    case .none: "It has no control API: \(writes)."
    }
  }

  /// A text for the report, in which the server may have sent the token back.
  ///
  /// One too short to be a secret is a part of other words, and hidden only where it stands as it was sent.
  func withoutToken(_ text: String) -> String {
    guard let adminToken else { return text }
    let hidden = "(the token)"
    return adminToken.count < 8
      ? text.replacing("Bearer " + adminToken, with: "Bearer " + hidden) : text.replacing(adminToken, with: hidden)
  }
}

/// How careful and how patient a run is.
struct Conditions: Sendable {
  var patience: Duration
  var limit: Duration
  var allowsWrites: Bool
  var adminToken: String?

  /// Refuses what nothing could be judged by.
  func checked() throws(JudgeError) -> Conditions {
    guard patience > .zero else { throw .usage("a patience of \(patience) is none: expected more than no time") }
    // It goes into a field, which another line's end would end; what it is stays unsaid.
    if let adminToken, adminToken.isEmpty || adminToken.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw .usage("the admin token is empty, or has a blank or control character in it")
    }
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
    if answer.status == 401 {
      throw .skipped(
        bench.site.adminToken == nil
          ? "the control API asks for a token, and none was given: --admin-token T"
          : "the control API refuses the token that was given")
    }
    guard answer.status == 201, let name = try answer.json()["name"]?.string else {
      throw .skipped("a sandbox could not be made: \(answer.evidence)")
    }
    return Sandbox(name: name)
  }

  func delete(by bench: Bench) { _ = try? bench.ask("DELETE", "/_mock/sandboxes/\(name)") }
}
