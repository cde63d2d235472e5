/// A JSON value (RFC 8259) that keeps the order of members and the digits of numbers, which decoding into Swift types
/// loses.
///
/// The real APIs preserve both, and their clients may rely on it.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Number)
  case string(String)
  case array([JSONValue])
  case object(Object)

  /// A number as its text, so that `1.0`, `1e400` and a 20-digit id are returned as they were sent.
  package struct Number: Sendable, Equatable {
    package let text: String

    package init(_ value: Int) { text = String(value) }
    package init(_ value: Double) { text = String(value) }
    init(text: String) { self.text = text }

    /// The value if it is an integer that fits: `1.0` and `1e3` are integers too.
    ///
    /// It truncates and compares, because `Int(exactly:)` would link every program with libm.
    package var int: Int? {
      if let exact = Int(text) { return exact }
      guard let double = Double(text), double.magnitude < 0x1p63 else { return nil }
      let truncated = Int(double)
      return Double(truncated) == double ? truncated : nil
    }

    package var double: Double { Double(text) ?? .nan }

    /// True if the text has a fraction or an exponent, as in `20.0`: decoders that distinguish integers from doubles
    /// read a double.
    package var isDoubleText: Bool { text.utf8.contains { ".eE".utf8.contains($0) } }
  }

  /// Members in the order in which they were written.
  package struct Object: Sendable, Equatable {
    package var members: [Member]

    package init(_ members: [Member] = []) { self.members = members }

    package subscript(name: String) -> JSONValue? {
      get { members.firstIndex { $0.name.hasBytes(of: name) }.map { members[$0].value } }
      set {
        let index = index(of: name)
        if let newValue { set(Member(name, newValue), at: index) } else if let index { members.remove(at: index) }
      }
    }

    /// Canonically equivalent names are one name; nearly always they are the same bytes.
    private func index(of name: String) -> Int? {
      members.firstIndex { $0.name.hasBytes(of: name) } ?? members.firstIndex { $0.name == name }
    }

    /// Sets or adds a member, and returns true if that changed the object.
    ///
    /// - Parameter index: The result of `index(of:)` for its name.
    @discardableResult
    private mutating func set(_ member: Member, at index: Int?) -> Bool {
      guard let index else {
        members.append(member)
        return true
      }
      guard members[index].value != member.value else { return false }
      members[index].value = member.value
      return true
    }

    /// Sets the members that `changes` names, or merges each with its change as a JSON Merge Patch. It takes time
    /// proportional to the members of both; a request's body may have a hundred thousand.
    ///
    /// - Returns: True if the object has changed.
    @discardableResult
    package mutating func apply(_ changes: [Member], merging: Bool = false) -> Bool {
      guard changes.count > Self.maximumSearched || members.count > Self.maximumSearched else {
        var isChanged = false
        for change in changes {
          let index = index(of: change.name)
          if let new = merging ? change.merged(into: index.map { members[$0].value }) : change {
            if set(new, at: index) { isChanged = true }
          } else if let index {
            members.remove(at: index)
            isChanged = true
          }
        }
        return isChanged
      }
      let before = members
      var positions = Dictionary(members.enumerated().lazy.map { ($1.name, $0) }) { first, _ in first }
      var removed: Set<Int> = []
      for change in changes {
        let position = positions[change.name]
        switch (position, merging ? change.merged(into: position.map { members[$0].value }) : change) {
        case (let position?, let new?): members[position].value = new.value
        case (let position?, nil):
          removed.insert(position)
          positions[change.name] = nil
        case (nil, let new?):
          positions[change.name] = members.count
          members.append(new)
        case (nil, nil): break
        }
      }
      if !removed.isEmpty { members = members.indices.filter { !removed.contains($0) }.map { members[$0] } }
      return members != before
    }

    /// Up to this number of members, a linear search is faster than hashing.
    private static let maximumSearched = 16
  }

  package struct Member: Sendable, Equatable {
    package let name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }

    /// Returns the member after this one as a merge patch on its old value; nil if it is removed.
    fileprivate func merged(into old: JSONValue?) -> Member? {
      value == .null ? nil : Member(name, (old ?? .null).merging(value))
    }
  }
}

extension String {
  /// Returns true if this is the same name. The length, by which most names differ, is the fastest to compare.
  package func hasBytes(of name: String) -> Bool { utf8.count == name.utf8.count && self == name }
}

extension JSONValue {
  /// The word for this kind of value in error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var int: Int? { if case .number(let number) = self { number.int } else { nil } }
  package var double: Double? { if case .number(let number) = self { number.double } else { nil } }
  package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  package var object: Object? { if case .object(let object) = self { object } else { nil } }

  package subscript(name: String) -> JSONValue? { object?[name] }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral value: Int) { self = .number(Number(value)) }
  package init(floatLiteral value: Double) { self = .number(Number(value)) }
  package init(booleanLiteral flag: Bool) { self = .bool(flag) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Object(members.map { Member($0.0, $0.1) }))
  }

  package static func int(_ value: Int) -> JSONValue { .number(Number(value)) }
}

extension JSONValue {
  /// Returns this value after a JSON Merge Patch (RFC 7396): members of `patch` replace, `null` removes, objects merge.
  package func merging(_ patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var merged = object ?? Object()
    merged.apply(changes.members, merging: true)
    return .object(merged)
  }
}
