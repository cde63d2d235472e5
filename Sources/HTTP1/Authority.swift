/// A well-formed `uri-host [ ":" port ]` without user information (RFC 9110 7.2, RFC 3986 3.2.2).
package struct Authority {
  let hasPort: Bool

  /// Nil when the host is empty or anything is malformed.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return nil }
    let hostEnd: Int
    if bytes[range.lowerBound] == Byte.leftBracket {
      guard let end = Authority.literalEnd(bytes, range) else { return nil }
      hostEnd = end
    } else {
      guard let end = Authority.nameEnd(bytes, range) else { return nil }
      hostEnd = end
    }
    guard hostEnd < range.upperBound else {
      hasPort = false
      return
    }
    guard bytes[hostEnd] == Byte.colon,
      let port = Authority.port(bytes, hostEnd + 1..<range.upperBound)
    else { return nil }
    hasPort = port
  }

  /// True if a text is a well-formed authority.
  package static func isValid(_ text: String) -> Bool {
    let bytes = ContiguousArray(text.utf8)
    return Authority(bytes.span, 0..<bytes.count) != nil
  }

  /// Whether there are digits after the colon, which the grammar lets be missing; nil for no port of 16 bits.
  private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool? {
    var value = 0
    for index in range {
      guard Byte.isDigit(bytes[index]) else { return nil }
      value = value * 10 + Int(bytes[index] - Byte.zero)
      guard value <= 65535 else { return nil }
    }
    return !range.isEmpty
  }

  /// Where a registered name or an IPv4 address ends.
  private static func nameEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    var looksNumeric = true
    while index < range.upperBound, bytes[index] != Byte.colon {
      let byte = bytes[index]
      if byte == Byte.percent {
        guard index + 2 < range.upperBound, Byte.hexValue(bytes[index + 1]) != nil,
          Byte.hexValue(bytes[index + 2]) != nil
        else { return nil }
        index += 2
      } else {
        guard ByteSet.registeredName.contains(byte) else { return nil }
      }
      looksNumeric = looksNumeric && (Byte.isDigit(byte) || byte == Byte.dot)
      index += 1
    }
    guard index > range.lowerBound, !hasEmptyLabel(bytes, range.lowerBound..<index) else { return nil }
    // RFC 3986 would take 999.1.1.1 as a name; nobody means one by it.
    let host = range.lowerBound..<index
    if looksNumeric, dots(bytes, host) == 3, !isIPv4(bytes, host) { return nil }
    return index
  }

  /// True if a dot is the first byte or follows another one: DNS has no such name, whatever RFC 3986 lets be.
  private static func hasEmptyLabel(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    range.contains { index in
      bytes[index] == Byte.dot && (index == range.lowerBound || bytes[index - 1] == Byte.dot)
    }
  }

  private static func dots(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var count = 0
    for index in range where bytes[index] == Byte.dot { count += 1 }
    return count
  }

  /// Whether these are four decimal octets without leading zeros (RFC 3986 3.2.2).
  static func isIPv4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var octets = 0
    var index = range.lowerBound
    while true {
      let first = index
      var value = 0
      while index < range.upperBound, index - first < 3, Byte.isDigit(bytes[index]) {
        value = value * 10 + Int(bytes[index] - Byte.zero)
        index += 1
      }
      guard index > first, value <= 255, index - first == 1 || bytes[first] != Byte.zero else { return false }
      octets += 1
      guard index < range.upperBound else { return octets == 4 }
      guard bytes[index] == Byte.dot, octets < 4 else { return false }
      index += 1
    }
  }

  /// Where an IP literal ends, behind its bracket.
  private static func literalEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound + 1
    while index < range.upperBound, bytes[index] != Byte.rightBracket { index += 1 }
    let inner = range.lowerBound + 1..<index
    guard index < range.upperBound, !inner.isEmpty else { return nil }
    let isFuture = Byte.lowercased(bytes[inner.lowerBound]) == 0x76
    return (isFuture ? isIPvFuture(bytes, inner) : isIPv6(bytes, inner)) ? index + 1 : nil
  }

  private static func isIPvFuture(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound + 1
    while index < range.upperBound, Byte.hexValue(bytes[index]) != nil { index += 1 }
    guard index > range.lowerBound + 1, index + 1 < range.upperBound, bytes[index] == Byte.dot else { return false }
    for rest in index + 1..<range.upperBound {
      guard ByteSet.registeredName.contains(bytes[rest]) || bytes[rest] == Byte.colon else { return false }
    }
    return true
  }

  /// Whether this is an IPv6 address, with `::` at most once and an IPv4 address at most at its end.
  private static func isIPv6(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var groups = 0
    var isCompressed = false
    var index = range.lowerBound
    if range.count >= 2, bytes[index] == Byte.colon, bytes[index + 1] == Byte.colon {
      isCompressed = true
      index += 2
    }
    while index < range.upperBound {
      let first = index
      while index < range.upperBound, index - first < 4, Byte.hexValue(bytes[index]) != nil { index += 1 }
      guard index > first else { return false }
      if index < range.upperBound, bytes[index] == Byte.dot {
        guard isIPv4(bytes, first..<range.upperBound) else { return false }
        groups += 2
        break
      }
      groups += 1
      guard index < range.upperBound else { break }
      guard bytes[index] == Byte.colon, index + 1 < range.upperBound else { return false }
      index += 1
      if bytes[index] == Byte.colon {
        guard !isCompressed else { return false }
        isCompressed = true
        index += 1
      }
    }
    return isCompressed ? groups <= 7 : groups == 8
  }
}
