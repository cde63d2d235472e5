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
  /// The client's bytes after the message; nil if all of them were taken.
  private var upload: Question.Upload?
  /// True if the client has left.
  private var isUnattended = false

  /// - Parameters:
  ///   - addresses: The addresses of the backend; empty if they come by `didResolve(to:_:)`.
  ///   - respond: Gives the response to the question, once.
  ///   - whenEnded: Called when the socket is closed.
  init(
    _ machine: ClientConnection, _ answer: UpstreamAnswer, _ upload: Question.Upload?,
    to addresses: [SocketAddress], _ channels: Channels,
    buffer: ReceiveBuffer, clock: @escaping () -> MonotonicInstant,
    respond: @escaping (Response) -> Void,
    whenEnded: @escaping () -> Void
  ) {
    self.machine = machine
    self.answer = answer
    self.upload = upload
    self.addresses = addresses
    self.channels = channels
    self.buffer = buffer
    self.clock = clock
    self.respond = respond
    self.whenEnded = whenEnded
    began = clock()
  }

  var descriptor: Int32 { socket?.socket.descriptor ?? -1 }

  func begin() {
    if let upload, upload.framing != .tunnel { follow(upload) }
    proceed(at: began)
  }

  /// Passes on what comes of the client's bytes.
  private func follow(_ upload: Question.Upload) {
    upload.pipe.whenAppended = { [weak self] in self?.sendUpload() }
  }

  private func sendUpload() {
    guard isConnected, !hasEnded else { return }
    let now = clock()
    send(at: now)
    proceed(at: now)
  }

  /// Hands the client's next bytes to the machine, once all before are sent.
  private func takeUpload(at now: MonotonicInstant) {
    guard let upload, upload.framing != .tunnel || answer.isTunnel, machine.unsent.isEmpty else {
      return
    }
    let bytes = upload.pipe.removeFirst { min($0.count, Self.maximumPart) }
    let end = upload.pipe.endOfAll
    if case .cut? = end { return abandon(at: now) }
    guard !bytes.isEmpty || end != nil else { return }
    machine.append(upload.framed(bytes, isLast: end != nil), isLast: end != nil, at: now)
    if end != nil { self.upload = nil }
  }

  private static let maximumPart = 64 << 10

  /// Ends a question whose request will never be complete, because the client has left.
  private func abandon(at now: MonotonicInstant) {
    let isAnswered = answer.isPassedOn
    end()
    if !isAnswered { respond(answer.abandoned(after: NanosecondDuration(from: began, to: now))) }
  }

  func handle(_ readiness: Readiness, at now: ClockReading) {
    if !isConnected {
      finishConnecting()
    } else {
      if machine.wantsToSend, readiness.canWrite { send(at: now.tick) }
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
    let elapsed = NanosecondDuration(from: began, to: now.tick)
    if let limit = answer.holdLimit, elapsed >= limit,
      machine.deadline.map({ $0 > now.tick }) ?? true
    {
      take(answer.giveUpHolding(after: elapsed))
    }
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
      default: take(answer.receive(action, after: NanosecondDuration(from: began, to: now)))
      }
    }
    if !hasEnded { take(answer.passOn(after: NanosecondDuration(from: began, to: now))) }
    guard let token else { return }
    channels.change(token, to: interest)
    let end = answer.holdLimit.map { began + $0 }
    channels.setTimer(token, at: [machine.deadline, end].compactMap(\.self).min())
    channels.setStoredBytes(token, to: storedBytes)
  }

  private var interest: Interest {
    guard isConnected else { return socket == nil ? [] : .writing }
    var interest: Interest = []
    if machine.wantsToSend { interest.insert(.writing) }
    if machine.wantsToReceive { interest.insert(.reading) }
    return interest
  }

  private func take(_ step: UpstreamAnswer.Step) {
    switch step {
    case .wait: break
    case .answer(let response):
      end()
      respond(response)
    case .begin(var response, let bytes):
      let pipe = ContentPipe()
      if answer.kind == .finite { pipe.hash = ContentHash(limit: ContentMeaning.maximumLength) }
      self.pipe = pipe
      machine.endTimeout()
      var follower = ContentFollower(pipe, answer.kind, length: answer.passedLength)
      if answer.isTunnel, let upload {
        follower.tunnel = upload.pipe
        follow(upload)
      }
      response.follower = .content(follower)
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
    send(at: clock())
  }

  private func send(at now: MonotonicInstant) {
    while true {
      takeUpload(at: now)
      guard !hasEnded, machine.wantsToSend else { break }
      switch socket?.socket.send(
        machine.request, from: machine.unsent.lowerBound, to: machine.unsent.upperBound)
      {
      case .bytes(let count): machine.didSend(count)
      case .full: return
      case .broken, nil:
        machine.didFailToSend()
        upload?.pipe.close()
        upload = nil
      }
    }
    if machine.hasSentTunnel { socket?.socket.finishWriting() }
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
    upload?.pipe.close()
    detach()
    whenEnded()
  }
}

/// The memory into which all questions read, one after another.
final class ReceiveBuffer {
  /// At most as many bytes are read at a time.
  var bytes = [UInt8](repeating: 0, count: 64 << 10)
}
