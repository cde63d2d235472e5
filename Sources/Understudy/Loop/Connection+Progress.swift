import Faults

extension Connection {
  /// The progress of the current exchange, with its values.
  enum Progress: ~Copyable {
    case none
    /// The handler runs after the plan's first delay.
    case planned(Exchange)
    /// The response is written after the plan's second delay.
    case performed(Performed)
    /// The response is written, and is sent as the plan says.
    case sending(Sending)
    /// The response is a stream, written up to the newest entry.
    case streaming(Streaming)

    /// An exchange with its response.
    struct Performed: ~Copyable {
      let exchange: Exchange
      var answer: Backend.Answer
    }

    /// An exchange whose response is being sent.
    struct Sending: ~Copyable {
      let performed: Performed
      var outgoing: OutgoingResponse
    }

    /// True if the plan or the network switch keeps the connection silent, for some time or until the peer closes it.
    var isSilent: Bool {
      switch self {
      case .planned(let exchange): exchange.plan.delivery.silenceBefore != nil
      case .performed(let performed): performed.exchange.isResponseHeld
      case .sending(let sending): sending.outgoing.isSilent
      default: false
      }
    }

    var phase: Phase {
      switch self {
      case .none: .none
      case .planned: .planned
      case .performed: .performed
      case .sending: .sending
      case .streaming: .streaming
      }
    }
  }

  /// The phases of an exchange without their values.
  enum Phase: UInt8 { case none, planned, performed, sending, streaming }
}
