import Contract
import Dispatch
import HTTP1
import Platform

/// Checks any HTTP server against the contract of the five APIs.
///
/// It uses a plain socket, treats every response as untrusted, and finishes in bounded time whatever the server does.
public enum ConformanceSuite {
  /// Checks the server at `url`.
  ///
  /// If the server has Understudy's control API, each check runs in a sandbox of its own, several at a time. If not,
  /// the checks run one after another on the existing data, restore what they change, and skip what cannot be restored.
  ///
  /// - Parameters:
  ///   - url: `http://host:port`, with a path if the APIs are not served at `/`.
  ///   - only: Groups (`devices`, `http`, …) and ids of checks, and `service` or `ours` for those of one origin; empty for
  ///     all of them. With `service`, checks also leave out the requests in which this contract goes beyond the real
  ///     services. With exactly one API, the address is taken as that API's own origin.
  ///   - patience: The maximum duration of one check; must be positive.
  ///   - limit: The maximum duration of the run; checks that have not begun by then are skipped.
  ///   - writes: True to also run checks that change a server without sandboxes permanently, such as bookings.
  ///   - adminToken: The token of the server's control API, if it requires one. It is sent to the control API only, and
  ///     never appears in a report.
  /// - Throws: `JudgeError`, if no check could be run.
  public static func judge(
    _ url: String, only: [String] = [], patience: Duration = .seconds(10), limit: Duration = .seconds(300),
    writes: Bool = false, adminToken: String? = nil
  ) async throws(JudgeError) -> ConformanceReport {
    let began = ContinuousClock.now
    let checks = try select(only)
    let base = try base(url)
    let conditions = try Conditions(
      patience: patience, limit: limit, allowsWrites: writes, adminToken: adminToken,
      judgesServiceOnly: origins(of: only) == [.service]
    ).checked()
    let groups = only.isEmpty ? Set(groups) : Set(checks.map(\.group))
    let target = try await onThread { () throws(JudgeError) in try Target.explore(base, groups: groups, conditions) }
      .get()
    let results = await run(checks, on: target, until: began + limit)
    return ConformanceReport(
      url: base.text, circumstances: target.circumstances, results: results,
      duration: began.duration(to: .now))
  }

  /// Parses the URL of the server under test.
  private static func base(_ url: String) throws(JudgeError) -> BaseURL {
    let base: BaseURL
    do throws(BaseURL.Defect) {
      base = try BaseURL(url)
    } catch {
      throw .usage(error.description)
    }
    guard !base.isEncrypted else { throw .usage("\(url): https is not supported; use a proxy that terminates TLS") }
    return base
  }

  /// Returns the checks that `only` selects, or all checks if it is empty.
  public static func checks(only: [String] = []) throws(JudgeError) -> [CheckDescription] {
    try select(only).map(\.description)
  }

  /// The names that `only` accepts besides the ids of checks.
  public static let groups = API.all.map(\.name) + ["http", "control"]

  private static func origins(of only: [String]) -> Set<CheckDescription.Origin> {
    Set(only.compactMap { CheckDescription.Origin(rawValue: $0) })
  }

  private static func select(_ only: [String]) throws(JudgeError) -> [Check] {
    let origins = origins(of: only)
    let names = only.filter { CheckDescription.Origin(rawValue: $0) == nil }
    let known = Set(groups + Check.all.map(\.id))
    if let unknown = names.first(where: { !known.contains($0) }) {
      throw .usage("\(unknown) is neither a check nor an API, and not service or ours; see --list")
    }
    return Check.all.filter { check in
      (names.isEmpty || names.contains(check.id) || names.contains(check.group))
        && (origins.isEmpty || origins.contains(check.source.origin))
    }
  }

  /// Runs the checks. Sandboxes are isolated, so checks may overlap; without sandboxes they must not.
  ///
  /// Each lane is one thread that runs its checks one after another, so that the load of the caller's tasks delays none
  /// of them.
  private static func run(_ checks: [Check], on target: Target, until end: Deadline) async -> [CheckResult] {
    let lanes = target.hasSandboxes ? 4 : 1
    return await withTaskGroup(of: [Int: CheckResult].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          await onThread {
            let indices = stride(from: lane, to: checks.count, by: lanes)
            return Dictionary(uniqueKeysWithValues: indices.map { ($0, checks[$0].result(on: target, until: end)) })
          }
        }
      }
      let results = await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
      return checks.indices.compactMap { results[$0] }
    }
  }

  /// Runs blocking work on a queue of its own, so that it neither blocks the cooperative pool nor waits for it.
  private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "understudy.conformance").async { continuation.resume(returning: work()) }
    }
  }

  private static func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws(JudgeError) -> Value
  ) async -> Result<Value, JudgeError> {
    await onThread {
      do throws(JudgeError) {
        return Result<Value, JudgeError>.success(try work())
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Check {
  fileprivate func result(on target: Target, until end: Deadline) -> CheckResult {
    let began = ContinuousClock.now
    let outcome: CheckResult.Outcome = began < end ? outcome(on: target) : .skipped("the time for the whole run was up")
    return CheckResult(check: description, outcome: outcome, duration: began.duration(to: .now))
  }

  private func outcome(on target: Target) -> CheckResult.Outcome {
    do throws(EarlyEnd) {
      switch needs {
      case .nothing: break
      case .sandbox where !target.hasSandboxes && !target.allowsWrites:
        throw .skipped("it changes what it could not put back: that needs the control API, or --writes")
      case .control where !target.hasSandboxes: throw .skipped("it needs the control API's sandboxes")
      case .sandbox, .control: break
      }
      let maker = Session(target: target, sandbox: nil)
      let sandbox = target.hasSandboxes ? try OwnSandbox.make(by: maker) : nil
      defer { sandbox?.delete(by: Session(target: target, sandbox: nil)) }
      try steps.run(by: Session(target: target, sandbox: sandbox))
      return .passed
    } catch {
      switch error {
      case .failed(let expected, let found):
        return .failed(expected: target.withoutToken(expected), found: target.withoutToken(found))
      case .skipped(let reason): return .skipped(target.withoutToken(reason))
      }
    }
  }
}
