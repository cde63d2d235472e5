/// The comparison of texts without what never repeats in them: times, and ids that a client draws.
enum Likeness {
  /// Returns the hash of a text in which each time and each random id counts as the same one.
  static func hash(of text: [UInt8]) -> UInt64 {
    var rest: [UInt8] = []
    for word in text.split(omittingEmptySubsequences: false, whereSeparator: { !isPartOfWord($0) }) {
      if isUnique(word) { rest.append(0) } else { rest += word }
      if word.endIndex < text.endIndex { rest.append(text[word.endIndex]) }
    }
    return Observation.hash(rest[...])
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
  }

  /// True for a UUID, a long hexadecimal id, the seconds or milliseconds since 1970, and a time of RFC 3339.
  private static func isUnique(_ word: ArraySlice<UInt8>) -> Bool {
    let digits = word.count(where: isDigit)
    guard digits >= 4 else { return false }
    let isHexadecimal = word.allSatisfy {
      isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
    }
    if isHexadecimal, word.count >= 16, digits < word.count { return true }
    let text = String(decoding: word, as: UTF8.self)
    if text.prefix(while: \.isNumber).count == 4, text.contains("T"), text.contains(":") { return true }
    // A number is compared as digits and an exponent.
    let number = text.prefix(while: \.isNumber)
    return (10...13).contains(number.count) && number.first == "1"
      && text.dropFirst(number.count).allSatisfy { $0 == "e" || $0.isNumber }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
