extension Entry {
  /// The stored parts of an exchange's messages: their heads, as sent except for masked secrets, and the beginnings of their
  /// content.
  package struct Texts: Sendable {
    /// The head and the body of the request, then the field lines and the body of the response.
    package private(set) var bytes: [UInt8]
    private var methodCount: Int32 = 0
    private var targetOffset: Int32 = 0
    private var targetCount: Int32 = 0
    private var pathOffset: Int32 = 0
    private var pathCount: Int32 = 0
    private var fieldsOffset: Int32 = 0
    private var headCount: Int32
    private var requestCount: Int32
    private var responseFieldsCount: Int32 = 0

    /// Creates the text of a change without a request.
    package init(event: ArraySlice<UInt8>) {
      bytes = Array(event)
      headCount = Int32(event.count)
      requestCount = headCount
    }

    /// Creates the texts of a request.
    ///
    /// - Parameters:
    ///   - bytes: The stored bytes of its head, and then of its body.
    ///   - head: The position of the head in the request's bytes, from which `target`, `path` and `fields` are counted, too.
    ///   - count: The number of the head's stored bytes, which differs where secrets are masked.
    ///   - fields: The start of the field lines; nil if there are none.
    package init(
      _ bytes: consuming [UInt8], head: Int, count: Int, method: Int, target: Range<Int>, path: Range<Int>,
      fields: Int?
    ) {
      methodCount = Int32(method)
      targetOffset = Int32(target.lowerBound - head)
      targetCount = Int32(target.count)
      pathOffset = Int32(path.lowerBound - head)
      pathCount = Int32(path.count)
      headCount = Int32(count)
      fieldsOffset = fields.map { Int32($0 - head) } ?? Int32(count)
      requestCount = Int32(bytes.count)
      self.bytes = bytes
    }

    package var method: ArraySlice<UInt8> { part(0, methodCount) }
    package var target: ArraySlice<UInt8> { part(targetOffset, targetCount) }
    /// The path in the target, as sent.
    package var path: ArraySlice<UInt8> { part(pathOffset, pathCount) }
    /// True if the target goes on after its path.
    var hasQuery: Bool { pathOffset + pathCount < targetOffset + targetCount }
    /// The target after its path.
    package var query: ArraySlice<UInt8> { bytes[Int(pathOffset + pathCount)..<Int(targetOffset + targetCount)] }
    package var fields: ArraySlice<UInt8> { part(fieldsOffset, headCount - fieldsOffset) }
    package var body: ArraySlice<UInt8> { part(headCount, requestCount - headCount) }
    /// The text of a change without a request.
    package var event: ArraySlice<UInt8> { part(0, headCount) }
    package var responseFields: ArraySlice<UInt8> { part(requestCount, responseFieldsCount) }
    /// The stored bytes of the response's body; nil if there are none.
    package var responseBody: ArraySlice<UInt8>? {
      let body = bytes[Int(requestCount + responseFieldsCount)...]
      return body.isEmpty ? nil : body
    }

    /// Stores a response; once.
    package mutating func append(fieldLines: ArraySlice<UInt8>, body: ArraySlice<UInt8>) {
      bytes += fieldLines
      responseFieldsCount = Int32(fieldLines.count)
      if !body.isEmpty { bytes += body }
    }

    /// Stores the body of a response whose field lines are stored; once.
    package mutating func append(body: ArraySlice<UInt8>) { bytes += body }

    private func part(_ offset: Int32, _ count: Int32) -> ArraySlice<UInt8> {
      bytes[Int(offset)..<Int(offset) + Int(count)]
    }
  }
}
