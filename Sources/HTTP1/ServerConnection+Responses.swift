package import Primitives

/// The responses. Their owner appends the bytes to `output`, and reports each step.
extension ServerConnection {
  /// Returns the `Connection` field of a response to a request of this version.
  ///
  /// - Parameter isLast: True if only the end of the connection can end the response.
  package func option(for version: Version, isLast: Bool) -> ConnectionOption {
    state.option(for: version, closing: isLast)
  }

  /// Records that a response's head, and what is to follow at once, were appended to the output.
  package mutating func beginResponse(isLast: Bool) { state.advance(isLast ? .lastResponseBegan : .responseBegan) }

  /// Records that the response is complete.
  package mutating func endResponse() { state.advance(.responseEnded) }

  /// Appends and releases a part of a response that continues for as long as its source.
  ///
  /// - Parameter isChunked: False if the end of the connection ends the response.
  package mutating func continueResponse(_ content: [UInt8], isChunked: Bool, at now: MonotonicInstant) {
    if output.pending == 0 { timeout = now + timeouts.writing }
    if isChunked {
      ChunkedEncoder.appendChunk(content, to: &output.bytes)
    } else {
      output.bytes += content
    }
    output.releaseAll()
    state.advance(.responseContinued)
  }

  /// Ends a response that continued.
  package mutating func endContinuedResponse(isChunked: Bool) {
    if isChunked { ChunkedEncoder.appendEnd(to: &output.bytes) }
    output.releaseAll()
    endResponse()
  }

  /// Ends the current response incomplete, and the connection with it.
  ///
  /// - Parameter isReset: True if the connection is to end with RST, and not with FIN.
  package mutating func abortResponse(isReset: Bool) {
    output.discardUnreleased()
    state.advance(.responseAborted)
    self.isReset = isReset
  }
}
