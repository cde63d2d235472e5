import JSON

extension Effect {
  /// The declaration of a kind of effect, from which the parser, the schema and the reference are derived.
  ///
  /// It is an immutable class, so that plans can refer to it.
  package final class Kind: Sendable {
    /// The word in a scenario: `latency`, or `reset` as in `{"fault": "reset"}`.
    package let name: String
    /// True if it is written `{"fault": "reset"}` rather than `{"latency": …}`.
    package let isFault: Bool
    /// The grammar of the value of its word.
    package let value: Shape
    /// The further members that an effect of this kind may have.
    package let parameters: [Member]
    package let page: Page
    /// The property that a response must have for the fault to be deliverable.
    package let needs: Need
    /// The reason why phase `after` is not allowed; nil if it is.
    package let onlyBeforeReason: String?
    /// The dependence besides seed, rule, stream and n, which prevents a preview from n alone.
    package let dependence: Dependence?
    /// True if it applies to the whole sandbox, so that a rule can limit it only in time.
    package let isOfSandbox: Bool
    /// Its other word, which rules and `Prefer` accept, too. Each effect that `Prefer` can request has one, except faults.
    package let alias: String?
    let read: @Sendable (Reader) throws(ValidationError) -> any EffectBody

    /// Declares an effect with a word of its own.
    init(
      _ name: String, value: Shape, parameters: [Member] = [], _ page: Page, onlyBeforeReason: String? = nil,
      dependence: Dependence? = nil, isOfSandbox: Bool = false, alias: String? = nil,
      read: @escaping @Sendable (Reader) throws(ValidationError) -> any EffectBody
    ) {
      self.name = name
      isFault = false
      self.value = value
      self.parameters = parameters
      self.page = page
      needs = .nothing
      self.onlyBeforeReason = onlyBeforeReason
      self.dependence = dependence
      self.isOfSandbox = isOfSandbox
      self.alias = alias
      self.read = read
    }

    /// Declares a fault with parameters.
    init(
      fault name: String, parameters: [Member], needs: Need, _ page: Page, onlyBeforeReason: String? = nil,
      read: @escaping @Sendable (Reader) throws(ValidationError) -> any EffectBody
    ) {
      self.name = name
      isFault = true
      value = .constant(.string(name))
      self.parameters = parameters
      self.page = page
      self.needs = needs
      self.onlyBeforeReason = onlyBeforeReason
      dependence = nil
      isOfSandbox = false
      alias = nil
      self.read = read
    }

    /// Declares a fault without parameters.
    convenience init(
      plain name: String, needs: Need = .nothing, _ page: Page, _ action: @escaping @Sendable () -> FaultAction
    ) {
      self.init(fault: name, parameters: [], needs: needs, page) { _ in PlainFault(action()) }
    }

    /// The description in the scenario reference, in Markdown.
    package struct Page: Sendable {
      /// The situation that it simulates.
      package let about: String
      /// The client's observation.
      package let wire: String
      /// Its limits, and the cases in which it has no effect.
      package let limit: String
      /// An effect of the kind, as JSON text.
      package let example: String

      init(_ about: String, wire: String, limit: String, example: String) {
        self.about = about
        self.wire = wire
        self.limit = limit
        self.example = example
      }
    }

    package enum Need: Sendable {
      case nothing
      case body
      /// A body that may be sent in chunks, which HTTP/1.0 does not have.
      case chunks
    }

    /// The word of a scenario for this kind: its name, or `fault`.
    package var word: String { isFault ? Self.faultWord : name }
  }
}

extension Effect.Kind: Hashable {
  package static func == (left: Effect.Kind, right: Effect.Kind) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Effect.Kind: CaseIterable {
  /// The list in which every effect registers itself. Error messages, schemas and pages keep its order.
  package static let allCases: [Effect.Kind] = [
    Latency.kind, Status.kind, RateLimit.kind, ColdStart.kind, Pace.kind, Offline.kind, Rivals.kind,
    Reset.kind, .empty, Hang.kind, Stall.kind, Truncate.kind, .garbage, .corrupt, .drift, Stale.kind, .resetBare,
    .badChunk,
    .wrongType, .captivePortal,
  ]

  package static let faults = allCases.filter(\.isFault)
  static let faultWord = "fault"
  /// The members of which an effect must have one.
  static let keywords = allCases.filter { !$0.isFault }.map(\.name) + [faultWord]

  /// The member that names a fault.
  static let fault = Key<Effect.Kind>(
    faultWord, .choice(faults.map(\.name)), "The fault.", isRequired: true,
    expectation: "one of " + faults.map(\.name).joined(separator: ", ")
  ) { value in
    faults.first { $0.name == value.string }
  }

  package static func named(_ name: String) -> Effect.Kind? { allCases.first { $0.name == name } }

  /// The kind that a preference requests by its name, which is in lower case; nil for `fault` and other names.
  static func preferred(_ name: String) -> Effect.Kind? {
    allCases.first { $0.alias != nil && ($0.name == name || $0.alias == name) }
  }
}

extension Effect {
  /// The grammar of an effect: the member that names it, and its further members.
  package static let shape = Shape.oneOf([plainFaults] + Kind.allCases.filter { !$0.isPlain }.flatMap(\.shapes))

  private static let plainFaults = Shape.object([
    Member(
      Kind.faultWord, .choice(Kind.allCases.filter(\.isPlain).map(\.name)), "A fault without parameters.",
      isRequired: true)
  ])
}

extension Effect.Kind {
  /// True for a fault without parameters.
  package var isPlain: Bool { isFault && parameters.isEmpty }

  /// The other words of parameters, which rules and `Prefer` accept, too, by their names.
  static let parameterAliases = ["retryAfter": "retry-after"]

  /// The grammars of an effect of this kind, one for each of its words.
  package var shapes: [Shape] {
    let others = parameters.compactMap { parameter in
      Self.parameterAliases[parameter.name].map {
        Member($0, parameter.shape, "Another word for `\(parameter.name)`.", isRequired: false)
      }
    }
    return [word, alias].compactMap(\.self).map {
      .object([Member($0, value, page.about, isRequired: true)] + parameters + others)
    }
  }
}
