extension JSON {
  /// This value after a JSON Merge Patch (RFC 7396): members of `patch` replace, `null` removes, objects merge.
  package func merging(_ patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var merged = object ?? Object()
    for change in changes.members {
      // Beside a `JSON`, the literal `nil` would be `JSON.null`.
      merged[change.name] =
        change.value == .null ? Optional.none : (merged[change.name] ?? .null).merging(change.value)
    }
    return .object(merged)
  }
}
