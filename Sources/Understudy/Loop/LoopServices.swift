import HTTP1
import Platform
import Services

/// The services of an event loop for its application.
///
/// They are separate from the loop, because the loop uses the application during a turn. The loop carries out its commands
/// afterwards.
final class LoopServices: Loop {
  private let host: String?
  private let listeners: Listeners
  private let jobs: JobQueue<EventLoop.PostedCall>
  let workers: Workers?
  var connectionCount = 0
  let channels: Channels?
  private var commands: [Command] = [] { didSet { hasCommands = !commands.isEmpty } }
  private(set) var hasCommands = false

  /// An action on connections, to be carried out when none of them is in use.
  enum Command {
    /// Send the responses that a sandbox's network switch held.
    case releaseResponses(sandbox: String)
    /// Reset the connections whose last exchange was with one of these sandboxes.
    case resetConnections(sandboxes: Set<String>)
    /// Read on from a connection, for whose content there is room again.
    case acceptContent(of: UInt64)
    /// Count what is stored for a connection, for which content has come.
    case countContent(of: UInt64)
    /// Continue the exchange that asked a question.
    case answer(question: Int, Response)
  }

  init(
    host: String?, listeners: Listeners, channels: Channels, jobs: JobQueue<EventLoop.PostedCall>, workers: Workers
  ) {
    self.channels = channels
    self.host = host
    self.listeners = listeners
    self.jobs = jobs
    self.workers = workers
  }

  /// Returns the oldest command that has not been returned yet.
  func nextCommand() -> Command? { commands.isEmpty ? nil : commands.removeFirst() }

  func open(_ port: Int, for labels: Labels, keepsReserve: Bool) throws(SystemError) -> Int {
    try listeners.open(port, at: host, for: labels, keepsReserve: keepsReserve)
  }

  func close(_ port: Int) { listeners.close(port: port) }

  func suspend(_ port: Int) { listeners.suspend(port: port) }

  func resume(_ port: Int) throws(SystemError) { try listeners.resume(port: port) }

  func address(of port: Int) -> SocketAddress? { listeners.address(of: port) }

  func releaseResponses(of sandbox: String) { commands.append(.releaseResponses(sandbox: sandbox)) }

  func resetConnections(of sandboxes: Set<String>) { commands.append(.resetConnections(sandboxes: sandboxes)) }

  func acceptContent(of connection: UInt64) { commands.append(.acceptContent(of: connection)) }

  func countContent(of connection: UInt64) { commands.append(.countContent(of: connection)) }

  func answer(_ question: Int, with response: Response) {
    commands.append(.answer(question: question, response))
  }

  var hasWorkers: Bool { true }

  func runOffLoop(_ work: @escaping @Sendable () -> OnLoop, for state: ServerState) {
    workers?.run(work) { [post] onLoop in post(onLoop) }
  }

  var post: @Sendable (@escaping OnLoop) -> Void {
    { [jobs] onLoop in jobs.post { loop in onLoop(loop.application.state) } }
  }
}
