/// A well-formed `uri-host [ ":" port ]` without user information (RFC 9110 7.2, RFC 3986 3.2.2).
package struct Authority {
  /// True if digits follow the colon.
  package let hasPort: Bool

  /// Returns nil if the host is empty or the text is malformed.
  package init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
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

  /// Returns true if the text is a well-formed authority.
  package static func isValid(_ text: String) -> Bool {
    let bytes = ContiguousArray(text.utf8)
    return Authority(bytes.span, 0..<bytes.count) != nil
  }

  /// Parses the port: true if there are digits after the colon (the grammar allows none), nil if the port does not fit
  /// into 16 bits.
  private static func port(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool? {
    var value = 0
    for index in range {
      guard Byte.isDigit(bytes[index]) else { return nil }
      value = value * 10 + Int(bytes[index] - Byte.zero)
      guard value <= 65535 else { return nil }
    }
    return !range.isEmpty
  }

  /// Returns the end of a registered name or an IPv4 address.
  private static func nameEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    var looksNumeric = true
    var dots = 0
    // A dot is neither the first byte nor follows another dot: RFC 3986 allows this, DNS has no such name.
    var previous = Byte.dot
    while index < range.upperBound, bytes[index] != Byte.colon {
      let byte = bytes[index]
      if byte == Byte.dot {
        guard previous != Byte.dot else { return nil }
        dots += 1
      } else if byte == Byte.percent {
        guard index + 2 < range.upperBound, Byte.hexValue(bytes[index + 1]) != nil,
          Byte.hexValue(bytes[index + 2]) != nil
        else { return nil }
        index += 2
      } else {
        guard ByteSet.registeredName.contains(byte) else { return nil }
      }
      looksNumeric = looksNumeric && (Byte.isDigit(byte) || byte == Byte.dot)
      previous = byte
      index += 1
    }
    guard index > range.lowerBound else { return nil }
    // RFC 3986 would accept 999.1.1.1 as a name, but such a host is always a mistyped IPv4 address.
    let host = range.lowerBound..<index
    if looksNumeric, dots == 3, !isIPv4(bytes, host) { return nil }
    return index
  }

  /// Returns true if the range holds four decimal octets without leading zeros (RFC 3986 3.2.2).
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

  /// Returns the end of an IP literal, after its closing bracket.
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

  /// Returns true if the range is an IPv6 address, with `::` at most once and an IPv4 address only at its end.
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
