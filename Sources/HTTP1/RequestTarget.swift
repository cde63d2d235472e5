import Primitives

/// A parsed request target (RFC 9112 3.2).
package struct RequestTarget: Sendable, Equatable {
  /// The four forms of RFC 9112 3.2.1 to 3.2.4.
  package enum Form: Sendable, Equatable {
    case origin
    /// The authority in the target replaces the Host field.
    case absolute(authority: Range<Int>)
    case authority
    case asterisk
  }

  package var form: Form
  /// The path as sent. In an absolute form without a path this is the last slash of `http://`, so that it reads `/`.
  /// It is `*` in asterisk form and empty in authority form.
  package var path: Range<Int>
  /// The bytes after the first `?`.
  package var query: Range<Int>?

  /// - Parameter acceptsUnencodedTargets: True if a `%` needs no hexadecimal digits after it.
  init(_ line: RequestLineScanner, _ bytes: Span<UInt8>, acceptsUnencodedTargets: Bool = false)
    throws(Rejection)
  {
    let target = line.target
    if line.hasPercent, !acceptsUnencodedTargets { try RequestTarget.checkPercent(bytes, target) }
    if line.knownMethod == .connect {
      guard Authority(bytes, target)?.hasPort == true else { throw .connectTarget }
      self.init(form: .authority, path: target.upperBound..<target.upperBound, query: nil)
    } else if bytes[target.lowerBound] == Byte.slash {
      self.init(form: .origin, pathFrom: target.lowerBound, in: target, question: line.question)
    } else if target.count == 1, bytes[target.lowerBound] == Byte.asterisk {
      guard line.knownMethod == .options else { throw .asteriskTarget }
      self.init(form: .asterisk, path: target, query: nil)
    } else {
      try self.init(absolute: target, bytes, question: line.question)
    }
  }

  private init(form: Form, path: Range<Int>, query: Range<Int>?) {
    self.form = form
    self.path = path
    self.query = query
  }

  private init(form: Form, pathFrom start: Int, in target: Range<Int>, question: Int?) {
    self.init(
      form: form, path: start..<(question ?? target.upperBound),
      query: question.map { mark in mark + 1..<target.upperBound })
  }

  private init(absolute target: Range<Int>, _ bytes: Span<UInt8>, question: Int?) throws(Rejection) {
    guard let start = try RequestTarget.authorityStart(bytes, target) else { throw .targetForm }
    var end = start
    let limit = question ?? target.upperBound
    while end < limit, bytes[end] != Byte.slash {
      guard bytes[end] != Byte.at else { throw .targetUserinfo }
      end += 1
    }
    guard Authority(bytes, start..<end) != nil else { throw .targetAuthority }
    let form = Form.absolute(authority: start..<end)
    if end < limit {
      self.init(form: form, pathFrom: end, in: target, question: question)
    } else {
      self.init(form: form, path: start - 1..<start, query: question.map { mark in mark + 1..<target.upperBound })
    }
  }

  /// Returns the index after `http://`; nil if the target has no scheme.
  private static func authorityStart(_ bytes: Span<UInt8>, _ target: Range<Int>) throws(Rejection) -> Int? {
    let start = target.lowerBound
    let end = start + "http://".utf8.count
    if end <= target.upperBound, bytes.holdsIgnoringCase("http://", at: start..<end) { return end }
    for index in target {
      if bytes[index] == Byte.colon {
        if bytes.holdsIgnoringCase("http", at: start..<index) { throw .targetAuthority }
        throw bytes.holdsIgnoringCase("https", at: start..<index) ? .targetSecure : .targetScheme
      }
      if bytes[index] == Byte.slash || bytes[index] == Byte.question { break }
    }
    return nil
  }

  private static func checkPercent(_ bytes: Span<UInt8>, _ target: Range<Int>) throws(Rejection) {
    for index in target where bytes[index] == Byte.percent {
      guard index + 2 < target.upperBound, Byte.hexValue(bytes[index + 1]) != nil,
        Byte.hexValue(bytes[index + 2]) != nil
      else { throw .targetPercent }
    }
  }
}
