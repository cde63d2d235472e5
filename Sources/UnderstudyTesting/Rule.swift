@_exported public import Faults

extension Rule {
  /// The effect of a rule on an exchange.
  public typealias Effect = Faults.Effect
  /// The side of the state change on which a fault occurs.
  public typealias Phase = Faults.Phase
  /// A property of the requests to which a rule applies.
  public typealias Match = Faults.Match
  /// A condition under which a rule applies to a request that it matches.
  public typealias Condition = Faults.Trigger
  /// A distribution of delays.
  public typealias Latency = Faults.Distribution
}

extension Match {
  public static func api(_ api: Backend.API) -> Match { Match(api: api.rawValue) }

  public static func method(_ methods: Backend.Method...) -> Match { Match(methods: methods.map(\.rawValue)) }

  /// Matches requests by method and path, as in `.request(.patch, "/devices/*")`.
  public static func request(_ method: Backend.Method, _ glob: String) -> Match {
    Match.path(glob).and(Match(methods: [method.rawValue]))
  }
}
