extension Operation {
  /// The effect of a successful request on the records of its API, which is the basis of the report card.
  ///
  /// It alone distinguishes an attempt from a new request, a doubled write from a repeated one, and a look from a
  /// guess.
  package struct Effect: Sendable, Hashable {
    package enum Kind: UInt64, Sendable {
      /// The response says what the records hold.
      case reads
      /// The records hold what the request says from then on, whatever they held before: the last one wins.
      case sets
      /// Each request does it once more: something is made, or taken.
      case adds
      /// Nothing of what the records hold.
      case none
    }

    /// The part of a request that names its record.
    package enum Name: Sendable, Hashable {
      /// The path's variables, as they stand there.
      case path
      /// The path's variables, where a space, `+` and `-` are alike and case does not count.
      case loosePath
      /// A member of the body; for a GET that writes, a parameter of the query.
      case member(String)
    }

    package let kind: Kind
    /// The name of its record; nil for all records of the API.
    package let record: Name?
    /// The value that the request sets, if it is in the path; nil if it is in the body.
    package let value: String?
    /// The member of the record that each request lowers by one.
    package let counter: String?

    private init(_ kind: Kind, of record: Name? = nil, value: String? = nil, counter: String? = nil) {
      self.kind = kind
      self.record = record
      self.value = value
      self.counter = counter
    }

    package static let none = Effect(.none)

    /// Shows all records of the API.
    package static let readsAll = Effect(.reads)

    /// Shows one record.
    package static func reads(_ record: Name) -> Effect { Effect(.reads, of: record) }

    /// Sets the members of one record that the body names; those of the body's schema can be audited.
    package static func sets(_ record: Name) -> Effect { Effect(.sets, of: record) }

    /// Sets one record to a value that the operation itself stands for, such as `on`.
    package static func sets(_ record: Name, to value: String) -> Effect { Effect(.sets, of: record, value: value) }

    /// Brings all records of the API back to how they were at the start.
    package static let restoresAll = Effect(.sets)

    /// Makes one more record of what the body says.
    package static let adds = Effect(.adds)

    /// Lowers a counter of one record by one; two requests for one record are the same, whatever else they say.
    package static func takes(_ counter: String, of record: Name) -> Effect {
      Effect(.adds, of: record, counter: counter)
    }

    /// True if it replaces all records of the API at one stroke.
    package var restoresAll: Bool { kind == .sets && record == nil }
  }
}

extension Operation.Effect.Name {
  /// A name in the form in which two are compared: `living-room`, `Living%20Room` and `living+room` are one.
  package static func loosened(_ name: String) -> String {
    String(name.lowercased().map { $0 == " " || $0 == "+" ? "-" : $0 })
  }
}

extension Operation {
  /// The members of a record that its requests set one by one: those of its body, without what names the record.
  static func settableMembers(_ effect: Effect, _ path: PathTemplate, _ body: RequestBody?) -> [String] {
    guard effect.kind == .sets, effect.record != nil, effect.value == nil, case .object(let object) = body?.schema.shape
    else { return [] }
    return object.properties.map(\.name).filter { !path.segments.contains(.variable($0)) }
  }

  /// True if members that the body's schema does not name are ignored, and so mean nothing.
  package var ignoresOtherMembers: Bool {
    guard case .object(let object) = body?.schema.shape, case .allowed = object.additional else { return false }
    return !object.properties.isEmpty
  }

  /// The time for which a response may be reused without asking, as `max-age` in `Cache-Control` says it.
  static func lifetime(_ cacheControl: String) -> Duration? {
    cacheControl.split(separator: ",").lazy
      .compactMap { part -> Duration? in
        let text = part.drop { $0 == " " }
        guard text.hasPrefix("max-age="), let seconds = Int64(text.dropFirst(8)) else { return nil }
        return .seconds(seconds)
      }.first
  }
}
