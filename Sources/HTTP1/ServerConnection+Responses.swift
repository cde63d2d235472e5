package import Primitives

/// The responses. Their owner appends the bytes to `output`, and reports each step.
extension ServerConnection {
  /// Begins a response to a request of this version, and returns its `Connection` field.
  ///
  /// - Parameter isLast: True if only the end of the connection can end the response.
  package mutating func beginResponse(to version: Version, isLast: Bool = false) -> ConnectionOption {
    let option = state.option(for: version, closing: isLast)
    state.advance(isLast ? .lastResponseBegan : .responseBegan)
    return option
  }

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
    if isReset { state.advance(.resetRequested) }
  }
}
