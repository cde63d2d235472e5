import Primitives

extension Connection {
  /// The progress of the current exchange, with its values.
  enum Progress: ~Copyable {
    case none
    /// It has a plan, and its handler runs after the plan's first delay and the work off the loop.
    case planned(Exchange)
    /// It has a response, which is written after the plan's second delay, when the disk and the network switch allow it.
    case performed(Performed)
    /// The response is written, and is sent as the plan and the network switch say.
    case sending(Sending)
    /// The response is a stream, written up to the newest entry.
    case streaming(Streaming)
    /// The response is released, and the record is incomplete.
    case ended(Ended)

    /// An exchange with its response.
    struct Performed: ~Copyable {
      let exchange: Exchange
      var answer: Application.Answer
      /// The instant before which the response must not be written.
      let earliest: MonotonicInstant
    }

    /// An exchange whose response is being sent.
    struct Sending: ~Copyable {
      let exchange: Exchange
      let answer: Application.Answer
      let outgoing: OutgoingResponse
    }

    /// An exchange that has ended, with what its record needs.
    struct Ended: ~Copyable {
      let exchange: Exchange
      let answer: Application.Answer
      let transmission: Transmission
      let delivery: Application.Delivery
    }
  }

  /// The event for which the current exchange waits.
  enum Wait {
    /// There is no exchange: the next request.
    case request
    /// An instant.
    case instant(MonotonicInstant)
    /// The end of a silence that the plan requires: an instant, or the end of the connection.
    case silence(until: MonotonicInstant?)
    /// The start of work off the loop.
    case work(Work)
    /// Room for its work, which was postponed.
    case room
    /// The result of its work.
    case result(ofExchange: Int)
    /// The commit of changes that it made or read.
    case disk
    /// The network switch of a sandbox, which holds its response.
    case network(of: Sandbox)
    /// New entries to send; none before `wakeUp`, if the plan requires a silence.
    case entries(wakeUp: MonotonicInstant?)
    /// The completion of its record. The exchange has ended.
    case record

    /// The instant that ends the wait, if there is one.
    var wakeUp: MonotonicInstant? {
      switch self {
      case .instant(let end): end
      case .silence(let end), .entries(let end): end
      default: nil
      }
    }

    /// True if the plan or the network switch keeps the connection silent, for some time or until the peer closes it.
    var isSilent: Bool {
      switch self {
      case .silence: true
      case .network(let sandbox): sandbox.network.holdsResponses
      default: false
      }
    }
  }
}
