extension JSON {
  /// This value after a JSON Merge Patch (RFC 7396): members of `patch` replace, `null` removes, objects merge.
  package func merging(_ patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var merged = object ?? Object()
    for change in changes.members {
      merged[change.name] = change.value == .null ? nil : (merged[change.name] ?? .null).merging(change.value)
    }
    return .object(merged)
  }
}
