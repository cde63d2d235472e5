extension Connection {
  /// The phase of the current exchange.
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

    /// True if there is no current exchange.
    var isNone: Bool {
      switch self {
      case .none: true
      default: false
      }
    }

    /// True if the exchange is performed and its response is not written.
    var isPerformed: Bool {
      switch self {
      case .performed: true
      default: false
      }
    }

    /// True if the plan or the network switch keeps the connection silent, for some time or until the peer closes it.
    var isSilent: Bool {
      switch self {
      case .planned(let exchange): exchange.plan.silenceBefore != nil
      case .performed(let performed): performed.exchange.isResponseHeld
      case .sending(let sending): sending.outgoing.isSilent
      default: false
      }
    }

    /// Moves the phase out, and leaves none.
    mutating func take() -> Progress {
      var taken = Progress.none
      swap(&taken, &self)
      return taken
    }
  }
}
