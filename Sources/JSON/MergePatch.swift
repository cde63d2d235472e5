extension JSONValue {
  /// Returns this value after a JSON Merge Patch (RFC 7396): members of `patch` replace, `null` removes, objects merge.
  package func merging(_ patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch else { return patch }
    var merged = object ?? Object()
    merged.apply(changes.members) { old, new in
      // The literal `nil` would be read as `JSONValue.null` here.
      new == .null ? Optional.none : (old ?? .null).merging(new)
    }
    return .object(merged)
  }
}
