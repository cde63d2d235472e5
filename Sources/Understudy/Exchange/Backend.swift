package import Contract
package import HTTP1

/// Everything that answers requests and owns no socket: addresses, sandboxes, control, clocks.
///
/// The event loop feeds it; so does a simulation with a network and clocks of its own. One thread owns it.
package final class Backend {
  var addresses: AddressBook
  package var sandboxes: Sandboxes
  let gate: ControlGate
  let control: ControlBehaviour
  /// What new sandboxes start from.
  package var seeds: SeedData
  private let responder = Responder()
  private var writer = MessageWriter()
  private let clocks: Clocks
  private var log: RequestLog
  private var watched: DataDirectory?
  /// The port of the merged origin.
  var port = 0
  /// Opens and closes the ports that sandboxes are given.
  package var ports: any Ports

  /// Where time comes from.
  package struct Clocks: Sendable {
    package let tick: @Sendable () -> Tick
    package let instant: @Sendable () -> Instant

    package init(tick: @escaping @Sendable () -> Tick, instant: @escaping @Sendable () -> Instant) {
      self.tick = tick
      self.instant = instant
    }

    package static let system = Clocks(tick: SystemClock.tick, instant: SystemClock.instant)
  }

  init(
    seeds: SeedData, isLoopback: Bool = true, token: String? = nil, clocks: Clocks = .system,
    ports: any Ports = NoPorts(), log: RequestLog = RequestLog(.off), watched: DataDirectory? = nil
  ) {
    addresses = AddressBook(apis: API.all, control: .control)
    gate = ControlGate(isLoopback: isLoopback, token: token)
    control = ControlBehaviour()
    self.seeds = seeds
    self.clocks = clocks
    self.ports = ports
    self.log = log
    self.watched = watched
    sandboxes = Sandboxes(
      Sandbox(name: Sandboxes.defaultName, seeds: seeds, at: clocks.instant(), tick: clocks.tick()))
  }

  package var realTime: Instant { clocks.instant() }
  package var tick: Tick { clocks.tick() }

  /// The merged origin as the client of an exchange reaches it: its authority without labels, at the port without them.
  func origin(of exchange: Exchange) -> String {
    let authority = exchange.request.host.map { HostName(exchange.request.bytes[$0]) }
    let host = authority?.host ?? "localhost"
    let isLabelled = host.hasSuffix(".localhost")
    let port = exchange.port == Labels() && authority != nil ? authority?.port : port
    return "http://" + (isLabelled ? "localhost" : host) + (port.map { ":\($0)" } ?? "")
  }

  /// Decides where a request goes.
  package func exchange(for request: Request, at port: Labels) -> Exchange {
    let exchange = addresses.exchange(for: request, at: port, among: sandboxes)
    exchange.sandbox?.lastUse = tick
    return exchange
  }

  /// Carries an exchange out and writes its reply to `output`.
  package func answer(
    _ exchange: Exchange, _ connection: ConnectionOption, to output: inout [UInt8]
  ) -> MessageWriter.Extent {
    let start = tick
    let reply = responder.reply(to: exchange, self)
    var context = MessageWriter.Context(requestID: exchange.id, isHead: exchange.isHead, connection: connection)
    switch exchange.target {
    case .operation(let route, _):
      context.operation = addresses.operation(route)
      context.isOpen = route.api != addresses.controlPlace
    case .settled(_, let api):
      context.isOpen = api != addresses.controlPlace
      context.preflight = Preflight(exchange.request, allowed: reply.fields.first { $0.name == "Allow" }?.value)
    }
    let now = realTime
    let extent = writer.write(reply, context, at: now, to: &output)
    log.note(exchange, status: reply.status, bytes: extent.end - extent.body, at: now, took: tick - start)
    return extent
  }

  /// Writes the answer to bytes that are no request.
  package func answer(_ rejection: Rejection, to output: inout [UInt8]) -> MessageWriter.Extent {
    let detail = "\(rejection.reason) (\(rejection.section))"
    let problem = Problem(rejection.status, "malformed-request", ReasonPhrase.of(rejection.status), detail)
    return answer(problem, to: &output)
  }

  /// Writes 408: a request began to come and did not end in time.
  package func answerTimeout(to output: inout [UInt8]) -> MessageWriter.Extent {
    answer(
      Problem(408, "request-timeout", ReasonPhrase.of(408), "The request did not come to its end in time."),
      to: &output)
  }

  private func answer(_ problem: Problem, to output: inout [UInt8]) -> MessageWriter.Extent {
    let representation = Responder.representation(of: problem, instance: "", .problem)
    let context = MessageWriter.Context(isOpen: true, connection: .close)
    return writer.write(Reply(problem.status, representation), context, at: realTime, to: &output)
  }
}

extension Backend {
  /// Deletes a sandbox and gives its port back.
  func remove(_ sandbox: Sandbox) {
    if let port = sandbox.port { ports.close(port) }
    _ = sandboxes.remove(sandbox.name)
  }

  /// Does what is due about once a second: data files that changed, sandboxes that nobody uses any more.
  func keepHouse(at tick: Tick) {
    for sandbox in sandboxes.expired(at: tick) { remove(sandbox) }
    do throws(StartError) {
      guard let reloaded = try watched?.reload() else { return }
      seeds = reloaded
      for sandbox in sandboxes.all { sandbox.reseed(reloaded, at: realTime) }
      File.append(Array("data files changed, and were read again\n".utf8), to: 2)
    } catch {
      File.append(Array("\(error); the data stays as it was\n".utf8), to: 2)
    }
  }

  /// Does what is due at the end of each turn of the loop.
  func endTurn() { log.flush() }
}

/// The one thing that answering needs of the event loop: ports of their own for sandboxes.
package protocol Ports {
  /// Begins to listen, and gives the port.
  ///
  /// - Parameter port: 0 for a free one.
  func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int
  func close(_ port: Int)
}

/// A backend without an event loop has no ports to give.
package struct NoPorts: Ports {
  package init() {}
  package func open(_ port: Int, for labels: Labels) throws(SystemError) -> Int { throw SystemError("no event loop") }
  package func close(_ port: Int) {}
}
