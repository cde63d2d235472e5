/// The comparison of texts without what never repeats in them: times, and ids that a client draws.
enum Likeness {
  /// Returns the hash of a text in which each time and each random id counts as the same one.
  static func hash(of text: [UInt8]) -> UInt64 {
    var rest: [UInt8] = []
    var isAfterUnique = false
    for word in text.split(omittingEmptySubsequences: false, whereSeparator: { !isPartOfWord($0) }) {
      if isAfterUnique, rest.last == UInt8(ascii: "."), isFraction(word) {
        rest.removeLast()
      } else {
        // The colon before a number of JSON is none of a time.
        isAfterUnique = isUnique(word.drop { $0 == UInt8(ascii: ":") })
        if isAfterUnique { rest.append(0) } else { rest += word }
      }
      if word.endIndex < text.endIndex { rest.append(text[word.endIndex]) }
    }
    return Observation.hash(rest[...])
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
  }

  /// True for a UUID, a long hexadecimal id, the time since 1970, and a time of RFC 3339.
  private static func isUnique(_ word: ArraySlice<UInt8>) -> Bool {
    let digits = word.count(where: isDigit)
    guard digits >= 4 else { return false }
    let isHexadecimal = word.allSatisfy {
      isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
    }
    if isHexadecimal, word.count >= 16, digits < word.count { return true }
    let text = String(decoding: word, as: UTF8.self)
    if text.prefix(while: \.isNumber).count == 4, text.contains("T"), text.contains(":") { return true }
    return isTimeSince1970(text)
  }

  /// True for seconds, milliseconds, microseconds or nanoseconds from 2001 on.
  private static func isTimeSince1970(_ text: String) -> Bool {
    // A number is compared as digits and an exponent.
    let parts = text.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].first == "1", parts[0].allSatisfy(\.isNumber), let exponent = parts.count == 1 ? 0 : Int(parts[1]),
      -19...19 ~= exponent
    else { return false }
    let digits = parts[0].count + exponent
    return 10...13 ~= digits || digits == 16 || digits == 19
  }

  /// True for the digits of a time behind its point, with a zone or without.
  private static func isFraction(_ word: ArraySlice<UInt8>) -> Bool {
    let zone = word.drop(while: isDigit)
    guard zone.count < word.count, let first = zone.first else { return !word.isEmpty && zone.isEmpty }
    return first == UInt8(ascii: "-") || zone.count == 1 && first | 0x20 == UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
