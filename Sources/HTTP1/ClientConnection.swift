package import Primitives

/// One request to a server over a connection of its own, and its response: events in, actions out, without a socket or a
/// clock (RFC 9112).
///
/// The owner of the socket reports each event, then calls `next()` until it returns nil, and sets its timer to
/// `deadline`. The request is sent once and never repeated.
package struct ClientConnection: Sendable {
  package enum Action: Sendable {
    /// Find the server's addresses, and report their number by `didResolve(addressCount:at:)`.
    case resolve
    /// Connect to the address with this index, on a new socket.
    case connect(Int)
    /// The head of the final response has arrived.
    case head(ReceivedHead)
    /// The next bytes of its content, decoded.
    case content([UInt8])
    /// The response is complete: close the socket.
    case end
    /// There will be no response, or no more of it: close the socket.
    case fail(Failure)
  }

  /// The reason for which there is no complete response.
  package enum Failure: Error, Sendable, Equatable {
    /// No address accepted a connection, so nothing was sent.
    case unreachable
    /// Nothing arrived in time.
    case timeout
    /// The response is no HTTP, or the connection ended before it was complete.
    case malformed(ResponseError)
  }

  private enum State: Sendable {
    case idle
    case resolving
    case connecting(Int)
    case exchanging
    case ended
  }

  /// The bytes of the request that are not known to be sent; then those of another protocol.
  package private(set) var request: [UInt8]
  /// True if no more bytes follow.
  private var isRequestComplete: Bool
  /// True if the request asks for another protocol.
  private let acceptsTunnel: Bool
  /// The bytes of another protocol that were not returned yet; nil if the connection has none.
  private var tunnelBytes: [UInt8]?
  private var hasTunnelEnded = false
  private var addressCount: Int
  private let timeout: NanosecondDuration
  private var state = State.idle
  private var parser: ResponseParser
  private var pending: Action?
  private var sentCount = 0
  private var hasHead = false
  /// The instant from which the time counts: the beginning until the head, then the last bytes.
  private var since: MonotonicInstant
  /// The instant at which the addresses were known.
  private var resolved: MonotonicInstant
  /// The instant at which the last bytes came.
  private var received: MonotonicInstant
  /// True until the owner lets the rest of the response take any time.
  private var isTimed = true
  /// True while the owner accepts no more content, which is then not read.
  package private(set) var isPaused = false

  /// Creates a connection that has not begun.
  ///
  /// - Parameters:
  ///   - request: The request, with `Connection: close`, or with the name of another protocol.
  ///   - isComplete: False if the rest of its content comes by `append(_:isLast:at:)`.
  ///   - acceptsTunnel: True if it asks for another protocol, which begins after a 101.
  ///   - isToHead: True if its method is HEAD.
  ///   - addressCount: The number of the server's addresses, which are tried in order; 0 if they are not known yet.
  ///   - timeout: The time until the head of the response, and then between bytes.
  package init(
    _ request: [UInt8], isComplete: Bool = true, acceptsTunnel: Bool = false, isToHead: Bool,
    addressCount: Int, timeout: NanosecondDuration, at now: MonotonicInstant
  ) {
    self.request = request
    isRequestComplete = isComplete
    self.acceptsTunnel = acceptsTunnel
    self.addressCount = addressCount
    self.timeout = timeout
    parser = ResponseParser(toHead: isToHead)
    since = now
    resolved = now
    received = now
    pending = addressCount > 0 ? .connect(0) : .resolve
  }

  /// The next instant at which to call `expire(at:)`; nil while no time counts.
  package var deadline: MonotonicInstant? {
    switch state {
    case .idle, .ended: nil
    case .connecting(let index): end(ofAddress: index)
    case .resolving: since + timeout
    case .exchanging: isPaused || !isTimed || awaitsRequest ? nil : since + timeout
    }
  }

  /// Returns the end of the time for an address. Each gets an equal part of the time that was left when all were known, so
  /// that neither a long search nor an address without an answer takes the time of the others.
  private func end(ofAddress index: Int) -> MonotonicInstant {
    let left = NanosecondDuration(from: resolved, to: since + timeout)
    return resolved + left * (Double(index + 1) / Double(addressCount))
  }

  /// True if the next bytes of the request have to come before anything is sent or expected.
  private var awaitsRequest: Bool { !isRequestComplete && sentCount == request.count && !hasHead }

  /// True if the other protocol has no more bytes for the server.
  package var hasSentTunnel: Bool {
    tunnelBytes != nil && isRequestComplete && sentCount == request.count
  }

  /// True if bytes of the request remain to be sent.
  package var wantsToSend: Bool {
    if case .exchanging = state { sentCount < request.count } else { false }
  }

  /// True if bytes of the response are wanted.
  package var wantsToReceive: Bool {
    if case .exchanging = state { !isPaused } else { false }
  }

  /// The part of the request that remains to be sent.
  package var unsent: Range<Int> { sentCount..<request.count }

  /// Returns the next action; nil if there is none until the next event.
  package mutating func next() -> Action? {
    if let action = pending.take() {
      switch action {
      case .resolve: state = .resolving
      case .connect(let index): state = .connecting(index)
      default: break
      }
      return action
    }
    guard case .exchanging = state, !isPaused || !hasHead else { return nil }
    if let bytes = tunnelBytes { return nextOfTunnel(bytes) }
    do throws(ResponseError) {
      while true {
        switch try parser.next() {
        case .needsMore: return nil
        // The client has sent its content, or gets only the final response.
        case .interim: continue
        case .head(let head) where head.status == 101 && !acceptsTunnel: throw .statusLine
        case .head(let head):
          hasHead = true
          since = received
          if head.status == 101 { (tunnelBytes, isRequestComplete) = (Array(parser.unread), false) }
          return .head(head)
        case .content(let bytes): return .content(bytes)
        case .end:
          state = .ended
          return .end
        }
      }
    } catch {
      state = .ended
      return .fail(.malformed(error))
    }
  }
}

extension ClientConnection {
  private mutating func nextOfTunnel(_ bytes: [UInt8]) -> Action? {
    tunnelBytes = []
    if !bytes.isEmpty { return .content(bytes) }
    guard hasTunnelEnded else { return nil }
    state = .ended
    return .end
  }

  /// Adds the next bytes of the request.
  ///
  /// - Parameter isLast: True if no more follow.
  package mutating func append(_ bytes: [UInt8], isLast: Bool, at now: MonotonicInstant) {
    guard !isRequestComplete else { return }
    // What is sent is not stored any longer.
    if sentCount == request.count { (request, sentCount) = ([], 0) }
    request += bytes
    isRequestComplete = isLast
    if !hasHead { since = now }
  }

  /// The search for the server's addresses has ended.
  package mutating func didResolve(addressCount: Int, at now: MonotonicInstant) {
    guard case .resolving = state else { return }
    resolved = now
    guard addressCount > 0 else { return fail(.unreachable) }
    self.addressCount = addressCount
    pending = .connect(0)
  }

  /// The address has accepted the connection.
  package mutating func didConnect() { state = .exchanging }

  /// The address has refused the connection, or did not accept it in time.
  package mutating func didFailToConnect() {
    guard case .connecting(let index) = state else { return }
    if index + 1 < addressCount {
      pending = .connect(index + 1)
    } else {
      fail(.unreachable)
    }
  }

  private mutating func fail(_ failure: Failure) {
    state = .ended
    pending = .fail(failure)
  }

  /// The kernel has accepted bytes of the request.
  package mutating func didSend(_ count: Int) { sentCount += count }

  /// The server accepts no more bytes. It may have sent its response before.
  package mutating func didFailToSend() {
    sentCount = request.count
    isRequestComplete = true
  }

  package mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) {
    guard case .exchanging = state else { return }
    received = now
    if hasHead { since = now }
    if tunnelBytes != nil { tunnelBytes? += bytes } else { parser.receive(bytes) }
  }

  /// The server has sent its last byte.
  ///
  /// - Parameter isBroken: True if the connection failed instead.
  package mutating func finish(isBroken: Bool = false) {
    guard case .exchanging = state else { return }
    hasTunnelEnded = true
    parser.finish(isBroken: isBroken)
  }

  /// The deadline has passed.
  package mutating func expire(at now: MonotonicInstant) {
    guard let deadline, deadline <= now else { return }
    switch state {
    case .resolving: fail(.unreachable)
    case .connecting: didFailToConnect()
    default: fail(.timeout)
    }
  }

  /// Lets the rest of the response take any time: its head has arrived, and a stream may be silent.
  package mutating func endTimeout() { isTimed = false }

  /// Accepts no more content until `resume(at:)`.
  package mutating func pause() { isPaused = true }

  package mutating func resume(at now: MonotonicInstant) {
    isPaused = false
    since = now
  }
}
