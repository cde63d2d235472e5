package import Primitives

extension Method {
  /// The methods that an operation can have.
  package static let ofOperations: [Method] = allCases.filter(\.isOfOperations)

  /// Creates the method of this spelling; nil if no operation can have it.
  package init?(operation spelling: String) {
    guard let method = Method(rawValue: spelling), method.isOfOperations else { return nil }
    self = method
  }

  /// True if an operation can have it.
  package var isOfOperations: Bool { self != .connect && self != .trace }

  /// The methods of the IANA registry that no operation here has. A server that knows them answers 405, not 501.
  package static let registeredElsewhere = Set(RegisteredMethod.all.map(\.name))
    .subtracting(ofOperations.map(\.rawValue) + ["CONNECT"])
}
