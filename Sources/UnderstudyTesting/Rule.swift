import JSON

/// One thing that goes wrong: an effect, the requests that it hits, and when.
public struct Rule: Sendable, Equatable {
  let json: JSONValue

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - effect: What goes wrong.
  ///   - name: The name in reports. The rule's chances are drawn by it, or by the rule's content without one.
  ///   - matches: The requests that are hit: those that all of these match; every request without any.
  ///   - conditions: Which of these requests are hit, and at what times; always without any.
  ///   - phase: Whether the fault hits before the request was acted upon, or after.
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

  /// The moment at which a fault hits.
  public enum Phase: Sendable, Hashable {
    /// Nothing was done, and the state is as it was.
    case before
    /// The state changed, and the response is damaged or lost.
    case after
  }
}

extension Rule {
  /// A property of the requests that a rule hits.
  public struct Match: Sendable, Equatable {
    fileprivate let members: [JSONValue.Member]

    private init(_ members: JSONValue.Member...) { self.members = members }

    /// Requests that can change state.
    public static let writes = Match(JSONValue.Member("changes", true))
    /// Requests that cannot change state.
    public static let reads = Match(JSONValue.Member("changes", false))

    public static func api(_ api: Backend.API) -> Match { Match(JSONValue.Member("api", .string(api.rawValue))) }

    public static func method(_ methods: Backend.Method...) -> Match {
      Match(JSONValue.Member("method", .array(methods.map { .string($0.rawValue) })))
    }

    /// - Parameter glob: A path in which `*` stands for any run within a segment, and `**` for any segments.
    public static func path(_ glob: String) -> Match { Match(JSONValue.Member("path", .string(glob))) }

    /// Requests by method and path, as in `.request(.patch, "/devices/*")`.
    public static func request(_ method: Backend.Method, _ glob: String) -> Match {
      Match(JSONValue.Member("method", .string(method.rawValue)), JSONValue.Member("path", .string(glob)))
    }

    /// Requests with a header field whose value matches a glob.
    public static func header(_ name: String, _ glob: String = "*") -> Match {
      Match(JSONValue.Member("header", .object(JSONValue.Object([JSONValue.Member(name, .string(glob))]))))
    }
  }

  /// A condition on which a rule hits a request that it matches.
  public struct Condition: Sendable, Equatable {
    fileprivate let members: [JSONValue.Member]

    private init(_ members: [JSONValue.Member]) { self.members = members }

    /// Hits a share of the requests, drawn by the seed: `.chance(1, in: 10)`.
    public static func chance(_ count: Int, in total: Int) -> Condition {
      Condition([JSONValue.Member("chance", .string("\(count)/\(total)"))])
    }

    /// Hits the first requests of each method and path.
    public static func first(_ count: Int) -> Condition { Condition([JSONValue.Member("first", .int(count))]) }

    /// Hits every nth request of each method and path.
    public static func nth(_ n: Int) -> Condition { Condition([JSONValue.Member("nth", .int(n))]) }

    /// Hits a range of the requests of each method and path, counted from 1.
    public static func requests(_ range: ClosedRange<Int>) -> Condition {
      Condition([JSONValue.Member("requests", .string("\(range.lowerBound)...\(range.upperBound)"))])
    }

    /// Hits all requests of each method and path from this one on, counted from 1.
    public static func requests(_ range: PartialRangeFrom<Int>) -> Condition {
      Condition([JSONValue.Member("requests", .string("\(range.lowerBound)..."))])
    }

    /// Hits requests within a window of the sandbox's clock, counted from the moment at which the scenario was set.
    ///
    /// - Parameter period: The time after which the window returns.
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

extension JSONValue {
  static func duration(_ duration: Duration) -> JSONValue { .string(DurationText.text(duration)) }
}
