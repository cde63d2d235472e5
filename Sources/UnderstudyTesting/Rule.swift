import JSON

/// A rule of a scenario: an effect, the requests to which it applies, and the conditions under which it does.
public struct Rule: Sendable, Equatable {
  let json: JSONValue

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - effect: The fault or delay.
  ///   - name: The name in reports. The rule's pseudo-random decisions depend on it or, without a name, on the rule's
  ///     content.
  ///   - matches: The rule applies to requests that match all of these; without any, to every request.
  ///   - conditions: The conditions that must all hold; without any, the rule always applies.
  ///   - phase: The side of the state change on which the fault occurs.
  public init(
    _ effect: Effect, name: String? = nil, for matches: Match..., when conditions: Condition..., phase: Phase = .before
  ) {
    var rule = JSONValue.Object([])
    rule["name"] = name.map(JSONValue.string)
    rule["match"] = Self.merged(matches.map(\.members))
    rule["when"] = Self.merged(conditions.map(\.members))
    if phase == .after { rule["phase"] = "after" }
    rule["effect"] = .object(JSONValue.Object(effect.members))
    json = .object(rule)
  }

  private static func merged(_ parts: [[JSONValue.Member]]) -> JSONValue? {
    var object = JSONValue.Object([])
    for member in parts.joined() {
      if case .object(let new)? = Optional(member.value), case .object(let old)? = object[member.name] {
        object[member.name] = .object(JSONValue.Object(old.members + new.members))
      } else {
        object[member.name] = member.value
      }
    }
    return object.members.isEmpty ? nil : .object(object)
  }

  /// The side of the state change on which a fault occurs.
  public enum Phase: Sendable, Hashable {
    /// The request was not applied.
    case before
    /// The state changed, and the response is damaged or lost.
    case after
  }
}

extension Rule {
  /// A property of the requests to which a rule applies.
  public struct Match: Sendable, Equatable {
    fileprivate let members: [JSONValue.Member]

    private init(_ members: JSONValue.Member...) { self.members = members }

    /// Matches writes from the client's point of view, even if the API does not store their data.
    public static let writes = Match(JSONValue.Member("changes", true))
    /// Matches requests that are not writes.
    public static let reads = Match(JSONValue.Member("changes", false))

    public static func api(_ api: Backend.API) -> Match { Match(JSONValue.Member("api", .string(api.rawValue))) }

    public static func method(_ methods: Backend.Method...) -> Match {
      Match(JSONValue.Member("method", .array(methods.map { .string($0.rawValue) })))
    }

    /// - Parameter glob: A path in which `*` matches any run of characters within a segment, and a segment `**` any
    ///   number of segments.
    public static func path(_ glob: String) -> Match { Match(JSONValue.Member("path", .string(glob))) }

    /// Matches requests by method and path, as in `.request(.patch, "/devices/*")`.
    public static func request(_ method: Backend.Method, _ glob: String) -> Match {
      Match(JSONValue.Member("method", .string(method.rawValue)), JSONValue.Member("path", .string(glob)))
    }

    /// Matches requests with a header field whose value matches a glob.
    public static func header(_ name: String, _ glob: String = "*") -> Match {
      Match(JSONValue.Member("header", .object(JSONValue.Object([JSONValue.Member(name, .string(glob))]))))
    }
  }

  /// A condition under which a rule applies to a request that it matches.
  public struct Condition: Sendable, Equatable {
    fileprivate let members: [JSONValue.Member]

    private init(_ members: [JSONValue.Member]) { self.members = members }

    /// Applies to a pseudo-random share of the requests, which depends on the seed: `.chance(1, in: 10)`.
    public static func chance(_ count: Int, in total: Int) -> Condition {
      Condition([JSONValue.Member("chance", .string("\(count)/\(total)"))])
    }

    /// Applies to the first requests of each method and path.
    public static func first(_ count: Int) -> Condition { Condition([JSONValue.Member("first", .int(count))]) }

    /// Applies to every nth request of each method and path.
    public static func nth(_ n: Int) -> Condition { Condition([JSONValue.Member("nth", .int(n))]) }

    /// Applies to a range of the requests of each method and path, counted from 1.
    public static func requests(_ range: ClosedRange<Int>) -> Condition {
      Condition([JSONValue.Member("requests", .string("\(range.lowerBound)...\(range.upperBound)"))])
    }

    /// Applies to all requests of each method and path from this one on, counted from 1.
    public static func requests(_ range: PartialRangeFrom<Int>) -> Condition {
      Condition([JSONValue.Member("requests", .string("\(range.lowerBound)..."))])
    }

    /// Applies to requests within a window of time since the scenario was set, by the sandbox's clock.
    ///
    /// - Parameters:
    ///   - start: The time at which the window opens.
    ///   - end: The time at which it closes; nil if it stays open.
    ///   - period: The period with which the window repeats; nil if it does not.
    public static func window(
      from start: Duration = .zero, until end: Duration? = nil, every period: Duration? = nil
    ) -> Condition {
      var members = [JSONValue.Member("from", .duration(start))]
      if let end { members.append(JSONValue.Member("until", .duration(end))) }
      if let period { members.append(JSONValue.Member("every", .duration(period))) }
      return Condition(members)
    }
  }
}
