import Platform
import Services

/// The services of the event loop for the application.
protocol Loop {
  /// Begins to listen, and returns the port.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - keepsReserve: True if the port must not take the last descriptors, because a client asks for it.
  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int
  func close(_ port: Int)
  /// Refuses connections to a port, which stays bound.
  func suspend(_ port: Int)
  /// Resumes listening at a suspended port; has no effect on other ports.
  func resume(_ port: Int) throws(SystemError)
  /// An address at which connections to a port arrive; nil if the loop does not listen there.
  func address(of port: Int) -> SocketAddress?
  /// Sends the responses that a sandbox's network switch held, once the current turn has done its work.
  func releaseResponses(of sandbox: String)
  /// Resets the connections whose last exchange was with one of these sandboxes.
  func resetConnections(of sandboxes: Set<String>)
  /// True if work is done off the loop; otherwise an exchange does its own work at once.
  var hasWorkers: Bool { get }
  /// Runs `work` on another thread, and then its result on the loop's thread.
  ///
  /// - Parameter state: The state that this loop's thread owns.
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState)
  /// A function that runs a body on the loop's thread, to be called on any other.
  var post: @Sendable (@escaping OnLoop) -> Void { get }
  /// The threads that work for the loop; nil if there are none.
  var workers: Workers? { get }
  /// The number of open connections.
  var connectionCount: Int { get }
  /// Gives the answer to a question. The loop continues the exchange after the current event.
  func answer(_ question: Int, with response: Response)
  /// The channels that the loop polls besides the connections of clients; nil if it polls nothing.
  var channels: Channels? { get }
}

extension Loop {
  func address(of port: Int) -> SocketAddress? { nil }
  var workers: Workers? { nil }
  var channels: Channels? { nil }
  // Only respondents use these, and they need channels, too.
  var post: @Sendable (@escaping OnLoop) -> Void { preconditionFailure("the loop runs no bodies of other threads") }
  func answer(_ question: Int, with response: Response) { preconditionFailure("the loop asks no question") }
}

/// The completion of work off the loop, which runs on the loop's thread.
typealias OnLoop = @Sendable (ServerState) -> Void

/// The loop of an application without ports and connections.
struct NoLoop: Loop {
  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    throw SystemError("no event loop")
  }
  func close(_ port: Int) {}
  func suspend(_ port: Int) {}
  func resume(_ port: Int) throws(SystemError) {}
  func releaseResponses(of sandbox: String) {}
  func resetConnections(of sandboxes: Set<String>) {}
  var hasWorkers: Bool { false }
  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState) { work()(state) }
  var connectionCount: Int { 0 }
}
