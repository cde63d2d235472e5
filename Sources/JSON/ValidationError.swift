/// One violation of a schema in a document, and its position.
package struct ValidationError: Error, Sendable, Equatable {
  package let pointer: JSONPointer
  /// The expectation that was not met, as words that end a sentence.
  package let detail: String

  package init(_ pointer: JSONPointer, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  /// Returns the error with the position of its value in the file of the document: `3:14: /rules/0: expected …`.
  package func description(in file: [UInt8]) -> String {
    let position = JSONLocator(file).position(of: pointer, isName: detail.hasPrefix("unknown"))
    return "\(position): " + (pointer == .root ? "" : "\(pointer): ") + advised.detail
  }

  /// Returns the error with the place of its value in the file of the document: `/rules/0: expected … (line 3, column
  /// 14)`.
  package func sentence(in file: [UInt8]) -> String {
    let position = JSONLocator(file).position(of: pointer, isName: detail.hasPrefix("unknown"))
    let index = pointer == .root ? "the document" : pointer.description
    return "\(index): \(advised.detail) (line \(position.line), column \(position.column))"
  }

  /// The same error, with the expected word that was probably meant if a word is misspelt.
  package var advised: ValidationError {
    guard let list = detail.firstRange(of: "expected one of "), detail.firstRange(of: "did you mean") == nil else {
      return self
    }
    let rest = detail[list.upperBound...]
    let found = rest.firstRange(of: ", found ")
    let known = rest[..<(found?.lowerBound ?? rest.endIndex)].split(separator: ", ").map(String.init)
    let name = pointer.description.split(separator: "/").last.map(String.init)
    let word = found.map { rest[$0.upperBound...].filter { $0 != "\"" } } ?? name
    return ValidationError(pointer, detail + (word.map { Spelling.suggestion(for: $0, among: known) } ?? ""))
  }
}
