package import JSON

extension Effect.Kind {
  package static let drift = Effect.Kind(
    plain: "drift", needs: .body,
    Page(
      "JSON with another schema, as after an unannounced release.",
      wire: "One field is missing, renamed or of another type, in all elements of a list. The entity tag is that of "
        + "the changed body.",
      limit: "Not deliverable if the body is not JSON. Requests are not changed. A write is applied in both phases, "
        + "because its response says so.",
      example: #"{"fault": "drift"}"#)
  ) { .damage(.drift) }
}

extension BodyFault {
  package static let drift: BodyFault = BodyFault(.drift, isTruthful: true) { content, draw in
    guard content.format != .image, let json = try? JSONValue(parsing: content.bytes) else { return nil }
    // The tag is computed from the changed bytes. With the original tag, 304 would keep confirming the changed body.
    let drifted = Drift.drifted(json, draw: draw)
    var content = Content(drifted.json.bytes(), content.format)
    content.change = drifted.change
    return content
  }
}

/// Bodies that follow another schema.
package enum Drift {
  /// Returns the JSON under another schema: one field is dropped, renamed or changed in type, in the same way in all
  /// elements of a list. The change is described for people by its first occurrence.
  package static func drifted(_ json: JSONValue, draw: UInt64) -> (json: JSONValue, change: String) {
    var paths = FieldPaths()
    paths.collect(json, at: [])
    guard !paths.found.isEmpty else {
      let other = reshaped(json)
      return (other, "\(other.kind) instead of \(json.kind)")
    }
    let index = Int(clamping: SeededHash.spread(draw, 0).multipliedFullWidth(by: UInt64(paths.found.count)).high)
    let change = Change.allCases[Int(SeededHash.spread(draw, 1) % 3)]
    let path = paths.found[index]
    return (applying(change, at: path[...], to: json), description(of: change, at: path, in: json))
  }

  private enum Change: CaseIterable {
    case drop, rename, retype
  }

  /// The path to a field from the root: a name stands for a member, nil for all elements of an array.
  private typealias FieldPath = [String?]

  /// The fields of a document in the order of their first appearance, each only once even if many elements have it.
  private struct FieldPaths {
    var found: [FieldPath] = []
    private var known: Set<FieldPath> = []

    mutating func collect(_ json: JSONValue, at path: FieldPath) {
      switch json {
      case .object(let object):
        for member in object.members {
          let inner = path + [member.name]
          if known.insert(inner).inserted { found.append(inner) }
          collect(member.value, at: inner)
        }
      case .array(let elements):
        for element in elements { collect(element, at: path + [nil]) }
      default: break
      }
    }
  }

  private static func description(of change: Change, at path: FieldPath, in json: JSONValue) -> String {
    let field = "\"\(path.compactMap(\.self).joined(separator: "."))\""
    guard let (object, member) = first(path[...], in: json) else { return field }
    let name = renamed(member.name)
    switch change {
    case .rename where object[name] == nil: return "\(field) is named \"\(name)\""
    case .drop, .rename: return "\(field) is missing"
    case .retype: return "\(field) is \(reshaped(member.value).kind) instead of \(member.value.kind)"
    }
  }

  /// Returns the first member at a path, and its object.
  private static func first(
    _ path: ArraySlice<String?>, in json: JSONValue
  ) -> (object: JSONValue.Object, member: JSONValue.Member)? {
    switch (json, path.first) {
    case (.array(let elements), .some(nil)):
      return elements.lazy.compactMap { first(path.dropFirst(), in: $0) }.first
    case (.object(let object), let name??):
      guard let member = object.members.first(where: { $0.name == name }) else { return nil }
      return path.count > 1 ? first(path.dropFirst(), in: member.value) : (object, member)
    default: return nil
    }
  }

  private static func applying(_ change: Change, at path: ArraySlice<String?>, to json: JSONValue) -> JSONValue {
    guard let step = path.first else { return json }
    switch (json, step) {
    case (.array(let elements), nil):
      return .array(elements.map { applying(change, at: path.dropFirst(), to: $0) })
    case (.object(var object), let name?):
      guard let index = object.members.firstIndex(where: { $0.name == name }) else { return json }
      if path.count > 1 {
        object.members[index].value = applying(change, at: path.dropFirst(), to: object.members[index].value)
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

  /// Returns another name: `is_archived` becomes `isArchived`, `isArchived` becomes `is_archived`, and `id` becomes
  /// `id_v2`.
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

  /// Returns the value as another JSON type; the kind always differs.
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
