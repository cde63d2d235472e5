import HTTP1
import Services

/// The other end of a question: a backend, or this server itself.
///
/// The server asks it when the faults are decided, and access allows the request. It is used on the loop's thread only, and
/// must not block.
protocol Respondent: AnyObject {
  /// Begins to answer a question. The answer is given to the loop, once, by `Loop.answer(_:with:)`.
  func ask(_ question: Question, by loop: any Loop)

  /// The client of a question has left. The question goes on, because it may have an effect; an endless response to it is
  /// to be ended.
  func clientLeft(_ question: Int)

  /// Returns the number of bytes that are stored of the answer to a question.
  func storedBytes(of question: Int) -> Int
}

extension Respondent {
  func storedBytes(of question: Int) -> Int { 0 }
}

/// A request that is answered later through the loop.
struct Question: Sendable {
  /// The ordinal of the exchange among all of the server, by which the answer is given.
  let id: Int
  /// The request as a backend is asked it; nil for other respondents.
  var forwarding: Forwarding?

  /// A request to a backend, ready to be sent.
  struct Forwarding: Sendable {
    /// The complete message.
    let message: [UInt8]
    let isHead: Bool
    /// True if the request can change something.
    let isWrite: Bool
    /// True if a file of semantics declares what the request does.
    let isDeclared: Bool
    /// True if the plan strikes in the content of the answer, or after its end, so that all of it is awaited.
    let holdsAnswer: Bool
    /// The bytes that follow the message; nil if there are none.
    let upload: Upload?
    /// The origins on both sides.
    let origins: OriginMap
  }

  /// The client's bytes after the message.
  struct Upload: Sendable {
    enum Framing: Sendable {
      /// The rest of content whose length is announced.
      case length
      case chunked
      /// Another protocol, if the backend changes to it.
      case tunnel
    }

    let pipe: ContentPipe
    let framing: Framing

    /// Returns the next bytes as they are sent.
    ///
    /// - Parameter isLast: True if no more follow.
    func framed(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
      guard framing == .chunked else { return bytes }
      var output: [UInt8] = []
      ChunkedEncoder.appendChunk(bytes, to: &output)
      if isLast { ChunkedEncoder.appendEnd(to: &output) }
      return output
    }
  }
}
