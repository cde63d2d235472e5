import Contract
import Platform
import Primitives
import Services

/// The connection of one request that the control API sends to this server.
///
/// It answers when the request is sent. The bytes of the response are dropped.
final class RequestSender: Respondent, Channel {
  /// The time after which it leaves, as a client may whose response does not come.
  static let timeout = NanosecondDuration.seconds(60)

  private let message: [UInt8]
  private let address: SocketAddress
  private let deadline: MonotonicInstant
  private var socket: ClientSocket?
  private var isConnected = false
  private var sentCount = 0
  private var link: (channels: Channels, token: ChannelToken)?
  /// Gives the response to the question; nil once that is done.
  private var respond: ((Response) -> Void)?
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(_ message: [UInt8], to address: SocketAddress, until deadline: MonotonicInstant) {
    self.message = message
    self.address = address
    self.deadline = deadline
  }

  func ask(_ question: Question, by loop: any Loop) {
    guard let channels = loop.channels else { preconditionFailure("a loop that listens has channels") }
    let id = question.id
    respond = { loop.answer(id, with: $0) }
    do throws(SystemError) {
      let new = try Socket(for: address)
      new.sendWithoutDelay()
      try new.beginConnecting(to: address)
      socket = ClientSocket(new)
      let token = channels.add(self, .writing)
      channels.setTimer(token, at: deadline)
      link = (channels, token)
    } catch {
      fail(error.reason)
    }
  }

  /// The request is sent, whether or not the client of the control API waits for that.
  func clientLeft(_ question: Int) {}

  var descriptor: Int32 { socket?.socket.descriptor ?? -1 }

  func handle(_ readiness: Readiness, at now: ClockReading) {
    if !isConnected {
      if let error = socket?.socket.connectionError() { return fail(error.reason) }
      isConnected = true
    }
    if respond != nil { send() } else { receive() }
  }

  /// The part that was sent is a request to the server: it is in the journal, and its result will be.
  func expire(at now: ClockReading) {
    close()
    answer(isConnected ? Response(204) : .problem(.requestNotSent(to: address.port, "it was not accepted in time")))
  }

  func close() {
    if let link { link.channels.remove(link.token) }
    (link, socket) = (nil, nil)
  }

  private func send() {
    switch socket?.socket.send(message, from: sentCount, to: message.count) {
    case .bytes(let count): sentCount += count
    case .full: return
    // The server has answered before the end, or a fault has struck: the journal says so.
    case .broken, nil: sentCount = message.count
    }
    guard sentCount == message.count, let link else { return }
    link.channels.change(link.token, to: .reading)
    answer(Response(204))
  }

  private func receive() {
    switch socket?.socket.receive(into: &buffer) {
    case .bytes, .nothingYet: break
    case .finished, .broken, nil: close()
    }
  }

  private func fail(_ reason: String) {
    close()
    answer(.problem(.requestNotSent(to: address.port, reason)))
  }

  private func answer(_ response: Response) {
    respond?(response)
    respond = nil
  }
}
