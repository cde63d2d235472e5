import HTTP1
import Platform
import Primitives
import Services

/// The connections to the backend, one for each question under way.
///
/// The event loop drives them: `ClientConnection` is the machine without I/O, `UpstreamConnection` the socket, and
/// `UpstreamAnswer` makes a response of the bytes that arrive. No question is asked twice: the backend would count a
/// repetition by this server as one by its client. They are used on the loop's thread only.
final class UpstreamConnections: Respondent, @unchecked Sendable {
  private let configuration: Upstream.Configuration
  private let resolver: UpstreamResolver
  private let clock: () -> MonotonicInstant
  private let buffer = ReceiveBuffer()
  /// The questions under way, by their ids.
  private var connections: [Int: UpstreamConnection] = [:]

  init(
    _ configuration: Upstream.Configuration, _ resolver: UpstreamResolver, clock: @escaping () -> MonotonicInstant
  ) {
    self.configuration = configuration
    self.resolver = resolver
    self.clock = clock
  }

  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let answer = UpstreamAnswer(
      forwarding, limit: configuration.maximumBody, name: configuration.name,
      timeout: configuration.timeout)
    guard let channels = loop.channels else {
      preconditionFailure("a loop with an upstream has channels")
    }
    let (id, now, addresses) = (question.id, clock(), resolver.addresses())
    let framing = forwarding.upload?.framing
    let machine = ClientConnection(
      forwarding.message, isComplete: framing == nil || framing == .tunnel,
      acceptsTunnel: framing == .tunnel,
      isToHead: forwarding.isHead, addressCount: addresses.count, timeout: configuration.timeout,
      at: now)
    let connection = UpstreamConnection(
      machine, answer, forwarding.upload, to: addresses, channels, buffer: buffer, clock: clock,
      respond: { response in loop.answer(id, with: response) },
      whenEnded: { [weak self] in self?.connections[id] = nil })
    connections[id] = connection
    if addresses.isEmpty { resolve(for: id, by: loop) }
    connection.begin()
  }

  /// Searches for the addresses of the host, for which a question waits.
  private func resolve(for question: Int, by loop: any Loop) {
    resolver.search { [post = loop.post] failure in
      post { [self] _ in didResolve(for: question, failure) }
    }
  }

  private func didResolve(for question: Int, _ failure: SystemError?) {
    connections[question]?.didResolve(to: resolver.addresses(), failure)
  }

  func storedBytes(of question: Int) -> Int { connections[question]?.storedBytes ?? 0 }

  func clientLeft(_ question: Int) { connections[question]?.clientLeft() }
}
