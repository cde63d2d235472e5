/// What the check of a scenario must know of the backend: its operations, and which of them change state.
package struct OperationFacts: Sendable, Hashable {
  package let api: String
  package let method: String
  /// As a template: `/devices/{id}`.
  package let path: String
  package let changes: Bool

  package init(api: String, method: String, path: String, changes: Bool) {
    self.api = api
    self.method = method
    self.path = path
    self.changes = changes
  }
}
