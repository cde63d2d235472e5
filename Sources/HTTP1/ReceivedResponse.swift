/// A complete response, with its content decoded.
package struct ReceivedResponse: Sendable {
  package let head: ReceivedHead
  package let content: [UInt8]

  package var status: Int { head.status }

  /// Reads the final response in all bytes that a connection received until its end. Later bytes are ignored.
  package init(_ bytes: [UInt8], toHead: Bool = false) throws(ResponseError) {
    var parser = ResponseParser(toHead: toHead)
    parser.receive(bytes)
    parser.finish()
    var head: ReceivedHead?
    var content: [UInt8] = []
    while true {
      switch try parser.next() {
      case .interim: continue
      case .head(let final): head = final
      case .content(let bytes): content += bytes
      case .end, .needsMore:
        guard let head else { throw .cut }
        self.head = head
        self.content = content
        return
      }
    }
  }
}
