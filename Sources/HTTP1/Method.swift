/// The methods of RFC 9110 9.3 and RFC 5789, which are case-sensitive.
package enum Method: UInt8, Sendable, CaseIterable {
  case get, head, post, put, patch, delete, options, connect, trace

  /// The method as written in a request line.
  package var spelling: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .connect: "CONNECT"
    case .trace: "TRACE"
    }
  }

  /// Returns the method with exactly this spelling, or nil.
  init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard range.count >= 3 else { return nil }
    let second = bytes[range.lowerBound + 1]
    let candidate: Method
    switch (range.count, bytes[range.lowerBound]) {
    case (3, 0x47): candidate = .get
    case (3, 0x50): candidate = .put
    case (4, 0x50): candidate = .post
    case (4, 0x48): candidate = .head
    case (5, 0x50): candidate = .patch
    case (5, 0x54): candidate = .trace
    case (6, 0x44): candidate = .delete
    case (7, 0x4F) where second == 0x50: candidate = .options
    case (7, 0x43) where second == 0x4F: candidate = .connect
    default: return nil
    }
    guard bytes.holds(candidate.spelling, at: range) else { return nil }
    self = candidate
  }
}

extension Span where Element == UInt8 {
  /// Returns true if the range holds exactly these bytes.
  func holds(_ spelling: String, at range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for byte in spelling.utf8 {
      guard index < range.upperBound, self[index] == byte else { return false }
      index += 1
    }
    return index == range.upperBound
  }

  /// Returns true if the range holds these bytes, ignoring the case of ASCII letters; `spelling` is in lower case.
  func holdsIgnoringCase(_ spelling: String, at range: Range<Int>) -> Bool {
    var index = range.lowerBound
    for byte in spelling.utf8 {
      guard index < range.upperBound, Byte.lowercased(self[index]) == byte else { return false }
      index += 1
    }
    return index == range.upperBound
  }
}
