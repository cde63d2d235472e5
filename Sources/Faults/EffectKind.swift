import JSON

extension Effect {
  /// The declaration of a kind of effect: the reader, the schema, the reference and the delivery follow it.
  ///
  /// A class because plans refer to it, and it never changes.
  package final class Kind: Sendable {
    /// The word in a scenario: `latency`, or `reset` as in `{"fault": "reset"}`.
    package let name: String
    /// True if it is written `{"fault": "reset"}` rather than `{"latency": …}`.
    package let isFault: Bool
    /// The grammar of the value of its word.
    package let value: Shape
    /// The members that may stand beside its word.
    package let parameters: [Member]
    package let page: Page
    /// The property that a response must have for the fault to be deliverable.
    package let needs: Need
    /// The reason why phase `after` makes no sense, or nil where it does.
    package let whyOnlyBefore: String?
    /// The dependence besides seed, rule, stream and n, which prevents a preview from n alone.
    package let dependence: Dependence?
    /// True if it takes the whole sandbox, so that a rule may narrow it in time only.
    package let isOfSandbox: Bool
    /// The preference of `Prefer` that asks for it, where that is not `fault`.
    package let preference: String?
    let read: @Sendable (Reader) throws(ValidationError) -> any EffectBody

    /// The declaration of an effect with a word of its own.
    init(
      _ name: String, value: Shape, parameters: [Member] = [], _ page: Page, whyOnlyBefore: String? = nil,
      dependence: Dependence? = nil, isOfSandbox: Bool = false, preference: String? = nil,
      read: @escaping @Sendable (Reader) throws(ValidationError) -> any EffectBody
    ) {
      self.name = name
      isFault = false
      self.value = value
      self.parameters = parameters
      self.page = page
      needs = .nothing
      self.whyOnlyBefore = whyOnlyBefore
      self.dependence = dependence
      self.isOfSandbox = isOfSandbox
      self.preference = preference
      self.read = read
    }

    /// The declaration of a fault with parameters.
    init(
      fault name: String, parameters: [Member], needs: Need, _ page: Page,
      read: @escaping @Sendable (Reader) throws(ValidationError) -> any EffectBody
    ) {
      self.name = name
      isFault = true
      value = .constant(.string(name))
      self.parameters = parameters
      self.page = page
      self.needs = needs
      whyOnlyBefore = nil
      dependence = nil
      isOfSandbox = false
      preference = nil
      self.read = read
    }

    /// The declaration of a fault without parameters.
    convenience init(
      plain name: String, needs: Need = .nothing, _ page: Page, _ action: @escaping @Sendable () -> FaultAction
    ) {
      self.init(fault: name, parameters: [], needs: needs, page) { _ in PlainFault(action()) }
    }

    /// The text about it in the reference, in Markdown.
    package struct Page: Sendable {
      /// The situation that it stands for.
      package let about: String
      /// The client's view of it.
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
      /// A body that may be sent in chunks: not to HTTP/1.0, for HEAD, or with 204 and 304.
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
    .reset, .empty, Hang.kind, Stall.kind, Truncate.kind, .garbage, .corrupt, .drift, Stale.kind, .resetBare, .badChunk,
    .wrongType, .captivePortal,
  ]

  package static let faults = allCases.filter(\.isFault)
  static let faultWord = "fault"
  /// The words that begin an effect.
  static let words = allCases.filter { !$0.isFault }.map(\.name) + [faultWord]

  /// The member that names a fault.
  static let fault = Key<Effect.Kind>(
    faultWord, .choice(faults.map(\.name)), "The fault.", isRequired: true,
    expectation: "one of " + faults.map(\.name).joined(separator: ", ")
  ) { value in
    faults.first { $0.name == value.string }
  }

  package static func named(_ name: String) -> Effect.Kind? { allCases.first { $0.name == name } }
}

extension Effect {
  /// The grammar of an effect: its own word, and the members that may stand beside it.
  package static let shape = Shape.oneOf([plainFaults] + Kind.allCases.filter { !$0.isPlain }.map(\.shape))

  private static let plainFaults = Shape.object([
    Member(
      Kind.faultWord, .choice(Kind.allCases.filter(\.isPlain).map(\.name)), "A fault without parameters.",
      isRequired: true)
  ])
}

extension Effect.Kind {
  /// True for a fault without parameters.
  package var isPlain: Bool { isFault && parameters.isEmpty }

  /// The grammar of an effect of this kind.
  package var shape: Shape {
    .object([Member(word, value, page.about, isRequired: true)] + parameters)
  }
}
