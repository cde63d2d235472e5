package import JSON

extension Effect.Kind {
  package static let drift = Effect.Kind(
    plain: "drift", needs: .body,
    Page(
      "JSON of another schema, as after a release that was not announced.",
      wire: "One field is dropped, renamed or of another type, in all elements of a list alike. The entity tag is that "
        + "of the changed body.",
      limit: "Not deliverable where the body is no JSON. It does not change what the client sends.",
      example: #"{"fault": "drift"}"#)
  ) { .damage(.drift) }
}

extension BodyFault {
  package static let drift: BodyFault = BodyFault(.drift) { content, draw in
    guard content.format != .image, let json = try? JSONValue(parsing: content.bytes) else { return nil }
    // Another release tags what it says: under the old tag, 304 would confirm it for ever.
    return Content(Drift.drifted(json, draw: draw).bytes(), content.format)
  }
}

/// The bodies of another schema.
package enum Drift {
  /// The same JSON of another schema: one field is dropped, renamed or of another type, in all elements of a list
  /// alike, as after an unannounced release.
  package static func drifted(_ json: JSONValue, draw: UInt64) -> JSONValue {
    var positions = Places()
    positions.collect(json, at: [])
    guard !positions.found.isEmpty else { return reshaped(json) }
    let position = Int(clamping: SeededHash.spread(draw, 0).multipliedFullWidth(by: UInt64(positions.found.count)).high)
    let change = Change.allCases[Int(SeededHash.spread(draw, 1) % 3)]
    return applying(change, at: positions.found[position][...], to: json)
  }

  private enum Change: CaseIterable {
    case drop, rename, retype
  }

  /// From the root down: a member by its name, all elements by nil.
  private typealias Place = [String?]

  /// The fields of a document, each once however many elements have it, in the order of their first appearance.
  private struct Places {
    var found: [Place] = []
    private var known: Set<Place> = []

    mutating func collect(_ json: JSONValue, at position: Place) {
      switch json {
      case .object(let object):
        for member in object.members {
          let inner = position + [member.name]
          if known.insert(inner).inserted { found.append(inner) }
          collect(member.value, at: inner)
        }
      case .array(let elements):
        for element in elements { collect(element, at: position + [nil]) }
      default: break
      }
    }
  }

  private static func applying(_ change: Change, at position: ArraySlice<String?>, to json: JSONValue) -> JSONValue {
    guard let step = position.first else { return json }
    switch (json, step) {
    case (.array(let elements), nil):
      return .array(elements.map { applying(change, at: position.dropFirst(), to: $0) })
    case (.object(var object), let name?):
      guard let index = object.members.firstIndex(where: { $0.name == name }) else { return json }
      if position.count > 1 {
        object.members[index].value = applying(change, at: position.dropFirst(), to: object.members[index].value)
      } else {
        alter(&object, index, change)
      }
      return .object(object)
    default: return json
    }
  }

  private static func alter(_ object: inout JSONValue.Object, _ index: Int, _ change: Change) {
    let member = object.members[index]
    switch change {
    case .drop: object.members.remove(at: index)
    case .retype: object.members[index].value = reshaped(member.value)
    case .rename:
      let name = renamed(member.name)
      if object[name] == nil {
        object.members[index] = JSONValue.Member(name, member.value)
      } else {
        object.members.remove(at: index)
      }
    }
  }

  /// `is_archived` becomes `isArchived`, `isArchived` becomes `is_archived`, and `id` becomes `id_v2`.
  private static func renamed(_ name: String) -> String {
    let words = name.split(separator: "_")
    if words.count > 1, let first = words.first {
      return first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    let snake = name.reduce(into: "") { text, character in
      text += character.isUppercase && !text.isEmpty ? "_" + character.lowercased() : String(character)
    }
    return snake == name ? name + "_v2" : snake
  }

  /// The value as another type would tell it: always of another kind than before.
  private static func reshaped(_ json: JSONValue) -> JSONValue {
    switch json {
    case .null: ""
    case .bool(let flag): .string(flag ? "yes" : "no")
    case .number(let number): .string(number.text)
    case .string(let text): Int(text).map(JSONValue.int) ?? [.string(text)]
    case .array(let elements): ["items": .array(elements)]
    case .object(let object): .array(object.members.map(\.value))
    }
  }
}
