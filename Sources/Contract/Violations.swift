package import JSON

/// The violations of a document: the first ones, and the number of the others.
///
/// A body of a megabyte can have a hundred thousand errors. The response that reports them must not be larger than the
/// request.
package struct Violations: Sendable, Equatable {
  package private(set) var listed: [ValidationError] = []
  /// The number of violations that are not listed.
  package private(set) var furtherCount = 0

  package static let maximumListed = 100

  package init() {}

  package var isEmpty: Bool { listed.isEmpty }

  var count: Int { listed.count + furtherCount }

  /// Adds a violation, which is created only if it will be listed.
  mutating func add(_ violation: @autoclosure () -> ValidationError) {
    if listed.count < Self.maximumListed { listed.append(violation()) } else { furtherCount += 1 }
  }

  /// Prepends a pointer to those of the violations from an index on, which were found inside the value there.
  mutating func nest(from first: Int, under pointer: @autoclosure () -> JSONPointer) {
    guard first < listed.count else { return }
    let pointer = pointer()
    for index in first..<listed.count {
      listed[index] = ValidationError(pointer / listed[index].pointer, listed[index].detail)
    }
  }

  mutating func add(contentsOf others: Violations) {
    for violation in others.listed { add(violation) }
    furtherCount += others.furtherCount
  }
}
