import Testing

/// A server with one defect, named, and the check that must find it.
struct Mutant: Sendable, CustomTestStringConvertible {
  let name: String
  /// The id of the check that names the defect.
  let catcher: String
  /// Returns the defective server's response; `forward` returns that of the correct server.
  var answer: @Sendable (_ request: Message, _ forward: (Message) -> Message) -> Message = { $1($0) }
  var swapsPipelined = false
  /// True if it closes after each response without announcing it.
  var closesAfterAnswer = false
  /// Its response to bytes that are not a request, instead of a refusal.
  var answerToNonsense: String?

  var testDescription: String { name }

  /// A server without a defect.
  static let none = Mutant(name: "unmutated", catcher: "")

  /// Returns a defect that changes responses.
  static func answering(
    _ name: String, caughtBy catcher: String,
    _ change: @escaping @Sendable (_ request: Message, _ answer: inout Message) -> Void
  ) -> Mutant {
    Mutant(name: name, catcher: catcher) { request, forward in
      var answer = forward(request)
      change(request, &answer)
      return answer
    }
  }

  /// Returns a defect that changes requests before they reach the correct server.
  static func asking(
    _ name: String, caughtBy catcher: String, _ change: @escaping @Sendable (_ request: inout Message) -> Void
  ) -> Mutant {
    Mutant(name: name, catcher: catcher) { request, forward in
      var changed = request
      change(&changed)
      return forward(changed)
    }
  }

  /// Returns a defect that replaces one text by another in the bodies of the responses at a path.
  static func saying(
    _ name: String, caughtBy catcher: String, at path: String, _ text: String, _ other: String
  ) -> Mutant {
    answering(name, caughtBy: catcher) { request, answer in
      guard request.path.hasPrefix(path), answer.status == 200, answer.text.contains(text) else { return }
      answer.text = answer.text.replacing(text, with: other)
    }
  }
}
