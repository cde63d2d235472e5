import Primitives
import Services

extension Connection {
  /// The current exchange, with the event for which it waits.
  enum Progress: ~Copyable {
    /// There is no exchange: the connection waits for the next request.
    case none
    /// It has a plan, and is performed after the plan's first delay.
    case planned(Planned)
    /// It waits for the result of its work.
    case working(Working)
    /// It has a response, which is not written yet.
    case performed(Performed)
    /// The response is written, and a part of it is not released yet.
    case sending(Sending)
    /// The response is a stream, written up to the newest entry. It waits for new entries, or for the end of a silence.
    case streaming(Streaming)
    /// The response is released. The entry waits for the peer's receipt.
    case ended(Ended)

    /// An exchange with its plan.
    struct Planned: ~Copyable {
      let exchange: Exchange
      let until: Pause
    }

    /// An exchange with its work.
    struct Working: ~Copyable {
      let exchange: Exchange
      let work: Work
      /// True if the loop has taken the work.
      var isTaken = false
    }

    /// An exchange with its response.
    struct Performed: ~Copyable {
      let exchange: Exchange
      var answer: Application.Answer
      /// The instant before which the response must not be written.
      let earliest: MonotonicInstant
      let until: Release
    }

    /// An exchange whose response is being sent.
    struct Sending: ~Copyable {
      let exchange: Exchange
      let answer: Application.Answer
      let outgoing: OutgoingResponse
      let until: Release
    }

    /// An exchange that has ended, with what its entry needs.
    struct Ended: ~Copyable {
      let exchange: Exchange
      let answer: Application.Answer
      let delivery: Application.Delivery
      /// The search for the peer's receipt of the response.
      let receipt: Receipt
    }

    /// The search for the receipt of a response by a peer that sends nothing more: it may still read, or have left.
    struct Receipt {
      /// The next look, after a first one at once.
      let due: MonotonicInstant
      /// The instant after which the response counts as received.
      let limit: MonotonicInstant

      private static let interval = Duration.milliseconds(10)

      init(at now: MonotonicInstant, limit: MonotonicInstant) {
        due = now + Self.interval
        self.limit = limit
      }
    }
  }

  /// A wait that the plan requires.
  enum Pause {
    case instant(MonotonicInstant)
    /// A silence, until an instant or until the end of the connection.
    case silence(until: MonotonicInstant?)

    var end: MonotonicInstant? {
      switch self {
      case .instant(let end): end
      case .silence(let end): end
      }
    }

    var isSilent: Bool { if case .silence = self { true } else { false } }
  }

  /// The event that allows a response to be written, or to be sent on.
  enum Release {
    case pause(Pause)
    /// The commit of changes that the exchange made or read.
    case disk
    /// The network switch of a sandbox, which holds the response.
    case network(of: Sandbox)

    /// The instant that ends the wait, if there is one.
    var instant: MonotonicInstant? { if case .pause(let pause) = self { pause.end } else { nil } }

    var isDisk: Bool { if case .disk = self { true } else { false } }
    var isNetwork: Bool { if case .network = self { true } else { false } }
    /// True if the response is sent once the network is online. After an outage as `silence` it never is.
    var isUntilOnline: Bool { if case .network(let sandbox) = self { !sandbox.traffic.isSilent } else { false } }

    /// True if the plan or the network switch keeps the connection silent, for some time or until the peer closes it.
    var isSilent: Bool {
      switch self {
      case .pause(let pause): pause.isSilent
      case .disk: false
      case .network(let sandbox): sandbox.traffic.holdsResponses
      }
    }
  }
}

extension Connection.Progress {
  /// An event for which an exchange waits, as the loop has to look for it.
  enum Event {
    /// An instant; nil if the loop calls without being asked.
    case instant(MonotonicInstant?)
    /// The commit of changes.
    case disk
    /// New entries of a stream; or the end of its silence, if it has one.
    case entries(MonotonicInstant?)
    /// The work has to begin.
    case work

    /// The instant that ends the wait, if there is one.
    var instant: MonotonicInstant? {
      switch self {
      case .instant(let end), .entries(let end): end
      case .disk, .work: nil
      }
    }
  }

  /// The event for which the exchange waits.
  var event: Event {
    switch self {
    case .planned(let planned): .instant(planned.until.end)
    case .working(let working): working.isTaken ? .instant(nil) : .work
    case .performed(let performed): performed.until.isDisk ? .disk : .instant(performed.until.instant)
    case .sending(let sending): .instant(sending.until.instant)
    case .streaming(let streaming): .entries(streaming.silence?.end)
    case .ended(let ended): .instant(ended.receipt.due)
    default: .instant(nil)
    }
  }
}

// Each case has its own pattern: the compiler cannot match several against a value that is not copyable.
extension Connection.Progress {
  /// True if its response is sent, and the peer may have left before.
  var awaitsReceipt: Bool {
    switch self {
    case .ended: true
    default: false
    }
  }

  /// True if a refusal would be true and can be sent: the exchange has certainly had no effect, because it is not performed
  /// yet, or a job computes its response; and the network switch holds no responses.
  var isRefusable: Bool {
    switch self {
    case .planned(let planned): !planned.exchange.isResponseHeld
    case .working(let working): !working.work.isQuestion && !working.exchange.isResponseHeld
    default: false
    }
  }

  /// The number of stored bytes of the request, and of the message in which it is passed on; 0 if none is stored any more.
  var requestBytes: Int {
    switch self {
    case .planned(let planned): planned.exchange.requestBytes
    case .working(let working): working.exchange.requestBytes + working.work.messageBytes
    case .performed(let performed): performed.exchange.requestBytes
    case .sending(let sending): sending.exchange.requestBytes
    default: 0
    }
  }

  /// The body of a response that waits to be written.
  var waitingBody: Representation? {
    switch self {
    case .performed(let performed): performed.answer.response.representation
    default: nil
    }
  }

  /// The number of stored bytes of content that passes through.
  var passingBytes: Int {
    switch self {
    case .performed(let performed): performed.answer.response.follower?.waitingBytes ?? 0
    case .streaming(let streaming): streaming.follower.waitingBytes
    default: 0
    }
  }

  /// True if content passes through, which comes while it waits.
  var passesContent: Bool {
    switch self {
    case .performed(let performed): performed.answer.response.isStream
    case .streaming: true
    default: false
    }
  }

  /// The sandbox and the id of its entry in the journal; nil if it has none.
  var entry: (Sandbox, Int)? {
    switch self {
    case .planned(let planned): planned.exchange.entry
    case .working(let working): working.exchange.entry
    case .performed(let performed): performed.exchange.entry
    case .sending(let sending): sending.exchange.entry
    case .streaming(let streaming): streaming.follower.request.map { (streaming.sandbox, $0) }
    case .ended(let ended): ended.exchange.entry
    default: nil
    }
  }

  /// True if the plan or the network switch keeps the connection silent.
  var isSilent: Bool {
    switch self {
    case .planned(let planned): planned.until.isSilent
    case .performed(let performed): performed.until.isSilent
    case .sending(let sending): sending.until.isSilent
    default: false
    }
  }

  /// True if the network switch holds its response.
  var isHeldByNetwork: Bool {
    switch self {
    case .performed(let performed): performed.until.isNetwork
    case .sending(let sending): sending.until.isNetwork
    default: false
    }
  }

  /// True if the network switch holds its response until it is online.
  var isHeldUntilOnline: Bool {
    switch self {
    case .performed(let performed): performed.until.isUntilOnline
    case .sending(let sending): sending.until.isUntilOnline
    default: false
    }
  }

  /// True if a question was asked and is not answered yet.
  var isAsking: Bool {
    switch self {
    case .working(let working): working.isTaken && working.work.isQuestion
    default: false
    }
  }

  /// The changes that must be stored before the response is sent; nil if there is no response.
  var awaited: Application.AwaitedChanges? {
    switch self {
    case .performed(let performed): performed.answer.awaited
    default: nil
    }
  }

  /// The ordinal of the exchange that waits for the result of its work; nil if none does.
  var working: Int? {
    switch self {
    case .working(let working): working.exchange.ordinal
    default: nil
    }
  }
}
