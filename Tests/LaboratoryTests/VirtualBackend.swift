import Faults
import HTTP1
import JSON
import Primitives
import Services

@testable import Understudy

/// A server of the five APIs without faults, behind the one that is judged: each question goes over a connection of its
/// own in virtual time, with the real machines of both its ends.
final class VirtualBackend: Respondent {
  let network: Network
  private let configuration: Upstream.Configuration
  private var inquiries: [Int: Inquiry] = [:]

  init(_ configuration: Upstream.Configuration, seeds: SeedData, _ time: VirtualTime) {
    self.configuration = configuration
    network = Network(Application(seeds: seeds, clocks: time.clocks), time)
  }

  func ask(_ question: Question, by loop: any Loop) {
    guard let forwarding = question.forwarding else { preconditionFailure("a forwarded request has a message") }
    let inquiry = Inquiry(forwarding, configuration, network) { [weak self] response in
      self?.inquiries[question.id] = nil
      loop.answer(question.id, with: response)
    }
    inquiries[question.id] = inquiry
    inquiry.proceed()
  }

  // The question goes on; the pipe ends content that is passed on.
  func clientLeft(_ question: Int) {}
}

/// One question to the backend.
private final class Inquiry {
  private let began: MonotonicInstant
  private let network: Network
  private let wire: Wire
  private let respond: (Services.Response) -> Void
  private var machine: ClientConnection
  private var answer: UpstreamAnswer
  private var pipe: ContentPipe?

  init(
    _ forwarding: Question.Forwarding, _ configuration: Upstream.Configuration, _ network: Network,
    respond: @escaping (Services.Response) -> Void
  ) {
    self.network = network
    self.respond = respond
    began = network.time.now
    wire = network.connect(from: "127.0.0.200")
    machine = ClientConnection(
      forwarding.message, isToHead: forwarding.isHead, addressCount: 1, timeout: configuration.timeout, at: began)
    answer = UpstreamAnswer(
      forwarding, limit: configuration.maximumBody, name: configuration.name, timeout: configuration.timeout)
    // The wire keeps the inquiry until the connection ends.
    wire.onChange = { self.receive() }
  }

  private func receive() {
    let (bytes, ending) = (wire.received, wire.ending)
    wire.received = []
    if !bytes.isEmpty { machine.receive(bytes, at: network.time.now) }
    proceed()
    guard let ending else { return }
    machine.finish(isBroken: ending == .reset)
    proceed()
    wire.onChange = {}
  }

  func proceed() {
    while let action = machine.next() {
      if case .connect = action {
        machine.didConnect()
        machine.didSend(machine.request.count)
        network.send(machine.request, on: wire)
        continue
      }
      take(answer.receive(action, after: elapsed))
    }
    take(answer.passOn(after: elapsed))
  }

  private var elapsed: NanosecondDuration { NanosecondDuration(from: began, to: network.time.now) }

  private func take(_ step: UpstreamAnswer.Step) {
    switch step {
    case .wait: break
    case .answer(let response): respond(response)
    case .begin(var response, let bytes):
      let pipe = ContentPipe()
      self.pipe = pipe
      response.follower = .content(ContentFollower(pipe, answer.kind, length: answer.passedLength))
      pipe.whenClosed = { [network, wire] in network.abandon(wire) }
      pipe.append(bytes)
      respond(response)
    case .pass(let bytes): pipe?.append(bytes)
    case .finish(let end): pipe?.finish(end)
    }
  }
}

extension Semantics {
  /// The declarations of the five APIs' requests, as the author of a semantics file would write them.
  static let ofFiveAPIs: Semantics = {
    let rules: JSONValue = [
      ["match": "POST /book", "effect": "add", "shown-by": "GET /rooms.json"],
      ["match": "GET /book", "effect": "add", "shown-by": "GET /rooms.json"],
      ["match": "POST /users", "effect": "add"], ["match": "POST /activities/*", "effect": "set"],
      ["match": "GET /reset", "effect": "set", "shown-by": "GET /activities"],
      ["match": "GET /*/*/on", "effect": "set", "shown-by": "GET /@house/state"],
      ["match": "GET /*/*/off", "effect": "set", "shown-by": "GET /@house/state"],
      ["match": "PATCH /**", "effect": "set"],
      ["match": "PUT /**", "effect": "set"],
    ]
    guard let semantics = try? Semantics(json: rules) else { preconditionFailure("the rules are valid") }
    return semantics
  }()
}
