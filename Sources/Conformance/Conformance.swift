import Contract
import Foundation

/// Judges any HTTP server against the contract of the five APIs.
///
/// It asks over a plain socket, trusts no answer, and ends in bounded time whatever the server does.
public enum Conformance {
  /// Judges the server at `url`.
  ///
  /// Where the server has Understudy's control API, each check runs in a sandbox of its own, several at a time. Where it
  /// has none, they run one after another on what is there, put back what they change, and skip what cannot be put back.
  ///
  /// - Parameters:
  ///   - url: `http://host:port`, with a path where the APIs do not stand at `/`.
  ///   - only: Groups (`devices`, `http`, …) and ids of checks; empty for all of them. With exactly one API the address
  ///     is taken for that API's own origin.
  ///   - patience: How long one check may take: more than no time.
  ///   - limit: How long all of them may take; what has not begun by then is skipped.
  ///   - writes: Whether to run what changes a server without sandboxes for good, such as bookings.
  ///   - adminToken: What the server's control API asks for, where it asks for a token. It is sent to that alone, and
  ///     stands in no report.
  /// - Throws: `JudgeError`, when there is nothing that could be judged.
  public static func judge(
    _ url: String, only: [String] = [], patience: Duration = .seconds(10), limit: Duration = .seconds(300),
    writes: Bool = false, adminToken: String? = nil
  ) async throws(JudgeError) -> Verdict {
    let began = ContinuousClock.now
    let checks = try select(only)
    let base = try BaseURL(url)
    let conditions = try Conditions(
      patience: patience, limit: limit, allowsWrites: writes, adminToken: adminToken
    ).checked()
    let groups = only.isEmpty ? Set(groups) : Set(checks.map(\.group))
    let site = try await onThread { () throws(JudgeError) in try Site.explore(base, groups: groups, conditions) }.get()
    let results = await run(checks, on: site, until: began + limit)
    return Verdict(
      url: base.text, circumstances: site.circumstances, results: results,
      duration: began.duration(to: .now))
  }

  /// The checks that `only` selects, all of them when it is empty.
  public static func checks(only: [String] = []) throws(JudgeError) -> [CheckDescription] {
    try select(only).map(\.description)
  }

  /// What `only` can name besides single checks.
  public static let groups = API.all.map(\.name) + ["http", "control"]

  private static func select(_ only: [String]) throws(JudgeError) -> [Check] {
    guard !only.isEmpty else { return Check.all }
    let known = Set(groups + Check.all.map(\.id))
    guard let unknown = only.first(where: { !known.contains($0) }) else {
      return Check.all.filter { only.contains($0.id) || only.contains($0.group) }
    }
    throw .usage("\(unknown) is no check and no API; see --list")
  }

  /// Sandboxes do not see each other, so that checks may overlap; without them they must not.
  ///
  /// Each lane is one thread that asks its checks one after another: how busy the caller's tasks are delays none of them.
  private static func run(_ checks: [Check], on site: Site, until end: Deadline) async -> [CheckResult] {
    let lanes = site.hasSandboxes ? 4 : 1
    return await withTaskGroup(of: [Int: CheckResult].self) { group in
      for lane in 0..<lanes {
        group.addTask {
          await onThread {
            let places = stride(from: lane, to: checks.count, by: lanes)
            return Dictionary(uniqueKeysWithValues: places.map { ($0, checks[$0].result(on: site, until: end)) })
          }
        }
      }
      let results = await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
      return checks.indices.compactMap { results[$0] }
    }
  }

  /// Runs what blocks on a thread of its own: tasks go on meanwhile, and no pool that is full of others' work delays it.
  private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
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
  var description: CheckDescription {
    CheckDescription(id: id, group: group, sentence: sentence, source: source)
  }

  fileprivate func result(on site: Site, until end: Deadline) -> CheckResult {
    let began = ContinuousClock.now
    let outcome = began < end ? outcome(on: site) : .skipped("the time for the whole run was up")
    return CheckResult(check: description, outcome: outcome, duration: began.duration(to: .now))
  }

  private func outcome(on site: Site) -> Outcome {
    do throws(Finding) {
      switch needs {
      case .nothing: break
      case .sandbox where !site.hasSandboxes && !site.allowsWrites:
        throw .skipped("it changes what it could not put back: that needs the control API, or --writes")
      case .control where !site.hasSandboxes: throw .skipped("it needs the control API's sandboxes")
      case .sandbox, .control: break
      }
      let maker = Bench(site: site, sandbox: nil)
      let sandbox = site.hasSandboxes ? try Sandbox.make(by: maker) : nil
      defer { sandbox?.delete(by: Bench(site: site, sandbox: nil)) }
      try run(Bench(site: site, sandbox: sandbox))
      return .passed
    } catch {
      switch error {
      case .failed(let expected, let found):
        return .failed(expected: site.withoutToken(expected), found: site.withoutToken(found))
      case .skipped(let reason): return .skipped(site.withoutToken(reason))
      }
    }
  }
}
