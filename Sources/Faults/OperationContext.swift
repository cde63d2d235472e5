/// The properties of an operation against which the rules of a scenario are checked.
package struct OperationContext: Sendable, Hashable {
  package let api: String
  package let method: String
  /// The path as a template: `/devices/{id}`.
  package let path: String
  /// True if its requests are writes; nil if only some are.
  package let changes: Bool?

  package init(api: String, method: String, path: String, changes: Bool?) {
    self.api = api
    self.method = method
    self.path = path
    self.changes = changes
  }
}
