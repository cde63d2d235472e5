import JSON

/// No byte comes, until the peer gives up or the hold has passed.
package struct Hang: FateEffect {
  static let kind = Effect.Kind.hang
  static let furtherKeys = Hold.keys

  package let hold: Hold

  package init(_ hold: Hold = Hold()) { self.hold = hold }
  init(_ reader: Reader) throws(Violation) { hold = try Hold(reader) }

  var effect: Effect { .hang(self) }
  var fate: Fate { .ending(.hang(hold)) }
  var members: [JSON.Member] { [JSON.Member("fault", .string(Self.kind.rawValue))] + hold.members }
}

extension Hold {
  static let keys = ["for", "then"]

  /// `then` without `for` is refused: nothing would ever follow.
  init(_ reader: Reader) throws(Violation) {
    let duration = try reader.duration("for", in: .milliseconds(1) ... .longestDelay)
    let ends = Then.allCases.filter { $0 != .goOn }
    let then = try reader.optional("then", "one of reset, close") { value in
      ends.first { $0.rawValue == value.string }
    }
    guard duration != nil || then == nil else {
      throw Violation(reader.pointer / "then", "expected \"for\" beside it: without it nothing follows")
    }
    self.init(for: duration, then: then ?? .goOn)
  }

  var members: [JSON.Member] {
    var members: [JSON.Member] = []
    if let duration { members.append(JSON.Member("for", .duration(duration))) }
    if then != .goOn { members.append(JSON.Member("then", .string(then.rawValue))) }
    return members
  }
}
