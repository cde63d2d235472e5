extension Connection {
  /// The phase of the exchange under way.
  enum Progress: ~Copyable {
    case none
    /// The state is touched when the plan's first delay is over.
    case planned(Exchange)
    /// The reply is written when the plan's second delay is over.
    case performed(Performed)
    /// The reply is written, and goes out as the plan has it.
    case sending(Sending)
    /// The reply is written as far as there was something to tell.
    case streaming(Streaming)

    /// An exchange with its answer.
    struct Performed: ~Copyable {
      let exchange: Exchange
      var answer: Backend.Answer
    }

    /// An exchange whose reply is on its way out.
    struct Sending: ~Copyable {
      let performed: Performed
      var outgoing: Outgoing
    }

    /// True if no exchange is under way.
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

    /// True if the plan, or the network switch, has the peer hear nothing, for some time or until it gives up.
    var isSilent: Bool {
      switch self {
      case .planned(let exchange): exchange.plan.silenceBefore != nil
      case .performed(let performed): performed.exchange.isResponseHeld
      case .sending(let sending): sending.outgoing.isSilent
      default: false
      }
    }

    /// Moves the phase out and leaves none.
    mutating func take() -> Progress {
      var taken = Progress.none
      swap(&taken, &self)
      return taken
    }
  }
}
