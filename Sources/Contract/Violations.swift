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
  package var first: ValidationError? { listed.first }

  var count: Int { listed.count + furtherCount }

  /// Adds a violation, which is created only if it will be listed.
  mutating func add(_ violation: @autoclosure () -> ValidationError) {
    if listed.count < Self.maximumListed { listed.append(violation()) } else { furtherCount += 1 }
  }

  mutating func add(contentsOf others: Violations) {
    for violation in others.listed { add(violation) }
    furtherCount += others.furtherCount
  }
}

/// A position in a document, written as text only for a violation.
indirect enum Place {
  case pointer(JSONPointer)
  case member(Place, String)
  case element(Place, Int)

  var pointer: JSONPointer {
    switch self {
    case .pointer(let pointer): pointer
    case .member(let place, let name): place.pointer / name
    case .element(let place, let index): place.pointer / index
    }
  }
}
