import HTTP1
import Platform
import Primitives
import Services

/// The socket of one question to the upstream: it carries out the machine's actions, and reports the loop's events to it.
final class UpstreamConnection: Channel {
  private let began: MonotonicInstant
  private var machine: ClientConnection
  private var answer: UpstreamAnswer
  private var addresses: [SocketAddress]
  private let channels: Channels
  private let buffer: ReceiveBuffer
  private let clock: () -> MonotonicInstant
  private let respond: (Response) -> Void
  private let whenEnded: () -> Void
  private var socket: ClientSocket?
  private var token: ChannelToken?
  private var isConnected = false
  private var hasEnded = false
  /// The way of content that is passed on.
  private var pipe: ContentPipe?
  /// True if the client has left.
  private var isUnattended = false

  /// - Parameters:
  ///   - addresses: The addresses of the backend; empty if they come by `didResolve(to:_:)`.
  ///   - respond: Gives the response to the question, once.
  ///   - whenEnded: Called when the socket is closed.
  init(
    _ machine: ClientConnection, _ answer: UpstreamAnswer, to addresses: [SocketAddress], _ channels: Channels,
    buffer: ReceiveBuffer, clock: @escaping () -> MonotonicInstant, respond: @escaping (Response) -> Void,
    whenEnded: @escaping () -> Void
  ) {
    self.machine = machine
    self.answer = answer
    self.addresses = addresses
    self.channels = channels
    self.buffer = buffer
    self.clock = clock
    self.respond = respond
    self.whenEnded = whenEnded
    began = clock()
  }

  var descriptor: Int32 { socket?.socket.descriptor ?? -1 }

  func begin() { proceed(at: began) }

  func handle(_ readiness: Readiness, at now: ClockReading) {
    if !isConnected {
      finishConnecting()
    } else {
      if machine.wantsToSend, readiness.canWrite { send() }
      if machine.wantsToReceive { receive(at: now.tick) } else if readiness.isBroken { lose() }
    }
    proceed(at: now.tick)
  }

  /// The search for the backend's addresses has ended.
  ///
  /// - Parameter failure: The error that prevented the search; nil if there was none.
  func didResolve(to addresses: [SocketAddress], _ failure: SystemError?) {
    self.addresses = addresses
    if addresses.isEmpty { answer.obstacle = failure.map { .notSearched($0.description) } ?? .nameless }
    let now = clock()
    machine.didResolve(addressCount: addresses.count, at: now)
    proceed(at: now)
  }

  func expire(at now: ClockReading) {
    if addresses.isEmpty { answer.obstacle = .unresolved }
    machine.expire(at: now.tick)
    proceed(at: now.tick)
  }

  func close() { end() }

  /// The client has left. The question goes on, because its effect does, too; its content is not stored any more, and ends if
  /// it is passed on.
  func clientLeft() {
    isUnattended = true
    answer.dropContent()
    if let token { channels.setStoredBytes(token, to: storedBytes) }
    if answer.isPassedOn { end() }
  }

  /// The number of bytes of the answer that are stored until it is complete.
  var storedBytes: Int { answer.storedBytes }

  /// Carries out the machine's actions until it waits for an event.
  private func proceed(at now: MonotonicInstant) {
    while !hasEnded, let action = machine.next() {
      switch action {
      // Only the timer counts until the addresses come.
      case .resolve: token = channels.add(self, [])
      case .connect(let index): connect(to: addresses[index])
      default: pass(action, at: now)
      }
    }
    guard let token else { return }
    channels.change(token, to: interest)
    channels.setTimer(token, at: machine.deadline)
    channels.setStoredBytes(token, to: storedBytes)
  }

  private var interest: Interest {
    guard isConnected else { return socket == nil ? [] : .writing }
    var interest: Interest = []
    if machine.wantsToSend { interest.insert(.writing) }
    if machine.wantsToReceive { interest.insert(.reading) }
    return interest
  }

  private func pass(_ action: ClientConnection.Action, at now: MonotonicInstant) {
    switch answer.receive(action, after: NanosecondDuration(from: began, to: now)) {
    case .wait: break
    case .answer(let response):
      end()
      respond(response)
    case .begin(var response, let bytes):
      let pipe = ContentPipe()
      self.pipe = pipe
      response.follower = .content(
        ContentFollower(pipe, isEndless: answer.isEventStream, length: answer.passedLength))
      pipe.whenDrained = { [weak self] in self?.resume() }
      pipe.whenClosed = { [weak self] in self?.end() }
      if isUnattended { end() }
      respond(response)
      pass(bytes)
    case .pass(let bytes): pass(bytes)
    case .finish(let end):
      pipe?.finish(end)
      self.end()
    }
  }

  /// Passes content on. If the client reads more slowly than the upstream sends, the rest stays unread.
  private func pass(_ bytes: [UInt8]) {
    guard let pipe, !hasEnded, !bytes.isEmpty else { return }
    pipe.append(bytes)
    if !pipe.hasRoom { machine.pause() }
  }

  private func resume() {
    guard machine.isPaused, !hasEnded else { return }
    let now = clock()
    machine.resume(at: now)
    proceed(at: now)
  }
}

/// The steps on the socket.
extension UpstreamConnection {
  private func connect(to address: SocketAddress) {
    detach()
    isConnected = false
    do throws(SystemError) {
      let new = try Socket(for: address)
      new.sendWithoutDelay()
      try new.beginConnecting(to: address)
      socket = ClientSocket(new)
      token = channels.add(self, .writing)
    } catch {
      failToConnect(error)
    }
  }

  private func failToConnect(_ error: SystemError) {
    answer.obstacle = error.isOutOfDescriptors ? .noDescriptor : .refused(error.reason)
    machine.didFailToConnect()
  }

  private func finishConnecting() {
    if let error = socket?.socket.connectionError() { return failToConnect(error) }
    isConnected = true
    machine.didConnect()
    send()
  }

  private func send() {
    while machine.wantsToSend {
      switch socket?.socket.send(machine.request, from: machine.unsent.lowerBound, to: machine.unsent.upperBound) {
      case .bytes(let count): machine.didSend(count)
      case .full: return
      case .broken, nil: machine.didFailToSend()
      }
    }
  }

  private func receive(at now: MonotonicInstant) {
    switch socket?.socket.receive(into: &buffer.bytes) {
    case .bytes(let count): machine.receive(Array(buffer.bytes[..<count]), at: now)
    case .finished: machine.finish()
    case .broken, nil: machine.finish(isBroken: true)
    case .nothingYet: break
    }
  }

  /// The connection broke while no bytes were wanted: those that were not read are lost.
  private func lose() {
    machine.finish(isBroken: true)
    detach()
  }

  /// Closes the socket.
  private func detach() {
    if let token { channels.remove(token) }
    token = nil
    socket = nil
  }

  private func end() {
    guard !hasEnded else { return }
    hasEnded = true
    detach()
    whenEnded()
  }
}

/// The memory into which all questions read, one after another.
final class ReceiveBuffer {
  /// At most as many bytes are read at a time.
  var bytes = [UInt8](repeating: 0, count: 64 << 10)
}
