import Faults
import JSON
import Primitives

/// The faults by hand of a sandbox: rules beside its scenario, which are armed and removed one by one.
///
/// A rule takes effect on the next requests that it matches, or on each one. Its effect comes before those of the scenario's
/// rules, whose counters and windows go on.
struct ManualFaults {
  struct Fault {
    let id: Int
    let rule: Rule
    /// The number of requests that it still affects; nil for each one.
    fileprivate(set) var remaining: Int?
    fileprivate var armed: ArmedRule
  }

  private(set) var all: [Fault] = []
  /// The newest of those that have affected as many requests as they should. A request that cannot have its fault, which is
  /// known only from the response, arms it again.
  private var usedUp: [Fault] = []
  private var lastID = 0

  /// Every request examines all of them.
  static let maximumCount = 100

  var isEmpty: Bool { all.isEmpty }
  /// The number of older states that they may need.
  private(set) var depth = 0

  /// Arms a fault.
  ///
  /// - Parameter count: The number of requests that it affects; nil for each one.
  mutating func add(_ rule: Rule, count: Int?, seed: UInt64) -> Fault {
    lastID += 1
    var named = rule
    named.name = Self.name(of: lastID)
    let fault = Fault(id: lastID, rule: rule, remaining: count, armed: ArmedRule(named, seed: seed))
    all.append(fault)
    depth = max(depth, fault.armed.depth)
    return fault
  }

  /// Returns the name of a fault's rule in plans.
  private static func name(of id: Int) -> String { "by hand \(id)" }

  /// Removes a fault; returns false if there is none with this id.
  mutating func remove(_ id: Int) -> Bool {
    usedUp.removeAll { $0.id == id }
    guard let index = all.firstIndex(where: { $0.id == id }) else { return false }
    all.remove(at: index)
    return true
  }

  mutating func removeAll() { (all, usedUp) = ([], []) }

  /// Returns the plan of a request by the oldest fault that affects it, which then affects one request less; nil if none does.
  mutating func takePlan(for context: RequestContext, header: (String) -> String?) -> Plan? {
    for index in all.indices {
      guard let plan = all[index].armed.plan(for: context, header: header) else { continue }
      if let remaining = all[index].remaining {
        all[index].remaining = remaining - 1
        if remaining == 1 { usedUp.append(all.remove(at: index)) }
        if usedUp.count > Self.maximumCount { usedUp.removeFirst() }
      }
      return plan
    }
    return nil
  }

  /// Does not count a request whose response could not have the fault of its plan, so that the fault affects another one.
  ///
  /// - Parameter rules: The names of the rules in its plan.
  mutating func uncount(_ rules: [String]) {
    func isUndelivered(_ fault: Fault) -> Bool {
      fault.remaining != nil && fault.rule.effect.body is any FaultActionEffect
        && rules.contains(Self.name(of: fault.id))
    }
    if let index = usedUp.firstIndex(where: isUndelivered) {
      let fault = usedUp.remove(at: index)
      all.insert(fault, at: all.firstIndex { $0.id > fault.id } ?? all.endIndex)
    }
    guard let index = all.firstIndex(where: isUndelivered), let remaining = all[index].remaining else { return }
    all[index].remaining = remaining + 1
  }
}

extension ManualFaults.Fault {
  /// The fault in the form of the control API.
  var json: JSONValue {
    var members = JSONValue.Object([JSONValue.Member("id", .int(id))])
    members["remaining"] = remaining.map { .int($0) }
    return .object(JSONValue.Object(members.members + (rule.json.object?.members ?? [])))
  }

  /// The fault for people, as in `reset after commit, POST /book, the next request`.
  var description: String {
    let requests = [rule.match.methods.joined(separator: " or "), rule.match.path?.text ?? rule.match.api ?? ""]
    let matched = requests.filter { !$0.isEmpty }.joined(separator: " ")
    let effect = rule.effect.description + (rule.phase == .after ? " after commit" : "")
    let times = remaining.map { $0 == 1 ? "the next request" : "the next \($0) requests" } ?? "each request"
    return [effect, matched, times].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
