import Contract
import HTTP1
import JSON
import Platform
import Primitives

/// The server under test, and its properties that are found out before the first check.
struct Target: Sendable {
  let base: BaseURL
  let addresses: [SocketAddress]
  let control: Control
  /// True if each API can be requested at an origin of its own, as in `/@booking/rooms`.
  let hasLabels: Bool
  /// The API whose own origin this is, if only one was selected.
  let onlyAPI: String?
  /// The routes that the checks of HTTP itself use.
  let samples: SampleRoutes
  /// True if checks may change data that they cannot restore.
  let allowsWrites: Bool
  /// The maximum duration of one check.
  let patience: Duration
  /// True if checks leave out the steps in which this contract goes beyond the real services.
  let judgesServiceOnly: Bool
  /// The token of the control API, which it requires from clients on other machines.
  var adminToken: String?

  /// True if a sandbox can be made for each check.
  var hasSandboxes: Bool { control == .sandboxes }

  /// The availability of the server's control API.
  enum Control: Equatable {
    case none
    /// The control API answers, but sandboxes cannot be made, for this reason.
    case withoutSandboxes(String)
    case sandboxes
  }

  /// Examines a server: tests that it accepts connections, and detects a control API.
  static func explore(_ base: BaseURL, groups: Set<String>, _ conditions: Conditions) throws(JudgeError) -> Target {
    let apis = API.all.filter { groups.contains($0.name) }
    let sampled = apis.first ?? API.all[0]
    let samples = SampleRoutes(sampled)
    func target(_ addresses: [SocketAddress], _ control: Control, labels: Bool) -> Target {
      Target(
        base: base, addresses: addresses, control: control, hasLabels: labels,
        onlyAPI: apis.count == 1 ? sampled.name : nil, samples: samples,
        allowsWrites: conditions.allowsWrites, patience: conditions.patience,
        judgesServiceOnly: conditions.judgesServiceOnly, adminToken: conditions.adminToken)
    }
    let addresses = SocketAddress.resolve(base.host, port: base.port)
    guard !addresses.isEmpty else { throw .cannotConnect("\(base.text): the host \(base.host) has no address") }
    guard Connection(to: addresses, until: .now + conditions.patience) != nil else {
      throw .cannotConnect("\(base.text): the server does not accept connections")
    }
    // The token must reach only a server with a control API, so it is not sent while that is unknown.
    let session = Session(target: target(addresses, .none, labels: false), sandbox: nil)
    let health = try? session.withoutToken.get("/_mock/health").json()
    guard health?["status"] == "ok" else { return target(addresses, .none, labels: false) }
    let labels = (try? session.get("/@\(sampled.name)\(samples.path)"))?.status == 200
    return target(addresses, control(by: session), labels: labels)
  }

  /// Determines if a sandbox can be made and reached from this origin. A sandbox's own port, for example, leads to that
  /// sandbox only.
  private static func control(by session: Session) -> Control {
    guard session.target.base.path.isEmpty else {
      return .withoutSandboxes("sandboxes require an address without a path")
    }
    do throws(EarlyEnd) {
      let made = try OwnSandbox.make(by: session)
      defer { made.delete(by: session) }
      let health = try session.follow("/@\(made.name)/_mock/health")
      guard health.status == 200 else {
        return .withoutSandboxes(
          "a sandbox can be made, but not reached from here: \(health.status) to \(health.asked)")
      }
      // In front of a backend, all sandboxes show the backend's data: checks that overlap would see each other's writes.
      let state = try session.follow("/@\(made.name)/_mock/state")
      return state.status == 409
        ? .withoutSandboxes("a sandbox has no data of its own: \(state.status) to \(state.asked)") : .sandboxes
    } catch {
      switch error {
      case .skipped(let reason): return .withoutSandboxes(reason)
      case .failed(let expected, let found): return .withoutSandboxes("expected \(expected), found \(found)")
      }
    }
  }

  /// The conditions of the run that the reader of a report must know.
  var circumstances: String {
    let writes = allowsWrites ? "checks may have left changes" : "checks that change data permanently were skipped"
    return switch control {
    case .sandboxes: "The server has the control API: each check had its own sandbox."
    case .withoutSandboxes(let reason):
      "The server has the control API, but no sandboxes (\(withoutToken(reason))): \(writes)."
    case .none: "The server has no control API: \(writes)."
    }
  }

  /// Removes the token from a text for the report, because the server may have sent it back.
  ///
  /// A very short token may be a part of other words; it is removed only in the form in which it was sent.
  func withoutToken(_ text: String) -> String {
    guard let adminToken else { return text }
    let hidden = "(the token)"
    return adminToken.count < 8
      ? text.replacing("Bearer " + adminToken, with: "Bearer " + hidden) : text.replacing(adminToken, with: hidden)
  }
}

/// The settings of a run: its time limits, the permission to write, the admin token, and the facts to judge.
struct Conditions: Sendable {
  var patience: Duration
  var limit: Duration
  var allowsWrites: Bool
  var adminToken: String?
  var judgesServiceOnly = false

  /// Returns the conditions, or throws if no check could run under them.
  func checked() throws(JudgeError) -> Conditions {
    guard patience > .zero else { throw .usage("the patience is \(patience): expected a positive duration") }
    // The token becomes part of a header field, which a line end would terminate. The error does not repeat the token.
    if let adminToken, adminToken.isEmpty || adminToken.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw .usage("the admin token is empty, or contains a blank or a control character")
    }
    return self
  }
}

/// Routes of one API for the checks of HTTP itself: one to read, and one to write without an effect.
struct SampleRoutes: Sendable {
  let path: String
  /// A write that every server accepts and that changes nothing; nil if the API has none.
  let write: (method: String, path: String, body: String)?

  init(_ api: API) {
    let merged = api.operations.filter(\.semantics.isMerged)
    let reading = merged.first { operation in
      let isPlain =
        !operation.path.text.contains("{") && !operation.documentation.parameters.contains(where: \.isRequired)
      return operation.method == .get && !operation.canWrite && isPlain
    }
    path = reading?.path.text ?? "/"
    // An empty object sets no member of the record in the path, and names no record whose counter is decremented.
    let writing = merged.first { operation in
      let acceptsNothing = operation.documentation.body.map { $0.schema.violations(in: [:]).isEmpty } ?? false
      return [.post, .patch].contains(operation.method) && operation.effect.record != nil && acceptsNothing
    }
    write = writing.map { ($0.method.rawValue, $0.example, "{}") }
  }
}

/// A sandbox that was made for one check.
struct OwnSandbox: Sendable {
  let name: String

  static func make(by session: Session, _ order: JSONValue = ["ttl": "5m"]) throws(EarlyEnd) -> OwnSandbox {
    let answer = try session.ask("POST", "/_mock/sandboxes", body: order.text)
    if answer.status == 401 {
      throw .skipped(
        session.target.adminToken == nil
          ? "the control API requires a token: --admin-token T"
          : "the control API refuses the given token")
    }
    guard answer.status == 201, let name = try answer.json()["name"]?.string else {
      throw .skipped("a sandbox could not be made: \(answer.evidence)")
    }
    return OwnSandbox(name: name)
  }

  func delete(by session: Session) { _ = try? session.ask("DELETE", "/_mock/sandboxes/\(name)") }
}
