import Contract
import Faults
import HTTP1

extension Connection {
  /// How far the exchange under way has come.
  enum Progress {
    case none
    /// Decided; the state is touched when the plan's first delay is over.
    case decided(Exchange)
    /// Carried out; the reply is written when the plan's second delay is over.
    case performed(Exchange, Backend.Answer)
    /// Written; it goes out as the plan has it.
    case transmitting(Outgoing)
    /// Written as far as there was something to tell.
    case streaming(Streaming)

    /// Whether the plan has it that the peer hears nothing, for some time or until it gives up.
    var isSilent: Bool {
      switch self {
      case .decided(let exchange): exchange.plan.silenceBefore != nil
      case .transmitting(let outgoing): outgoing.isSilent
      default: false
      }
    }
  }

  /// A reply on its way out.
  struct Outgoing {
    let exchange: Exchange
    let answer: Backend.Answer
    var transmission: Transmission
    /// When its first byte could go out.
    let began: Tick
    /// From when its pace counts: a silence that the plan asks for is no credit to spend in a burst afterwards.
    var paced: Tick
    /// How far it got out.
    var released: Int
    var isSilent = false
  }

  /// Begins an exchange.
  func start(_ request: Request) {
    let link = Backend.Link(number: number, peer: peer, port: port, isFirst: state.requests == 1)
    let exchange = backend.arrive(request, by: link)
    if exchange.id > 0 { sandbox = exchange.sandbox?.name }
    progress = .decided(exchange)
    sleep(for: exchange.plan.waitBefore, since: exchange.arrival)
    endSilenceIfVain()
    proceed()
  }

  /// Takes note that `wakeUp` has passed.
  func resume() {
    wakeUp = nil
    if case .transmitting(var outgoing) = progress {
      outgoing.isSilent = false
      progress = .transmitting(outgoing)
    }
    proceed()
    if case .none = progress { advance() }
    awaitPeer()
  }

  /// Takes note that what the exchange under way did or saw is on the disk now, or was taken back.
  func settle(isKept: Bool) {
    guard isHeldForDisk else { return }
    isHeldForDisk = false
    guard case .performed(let exchange, let answer) = progress else { return }
    if !isKept {
      // Who only read is answered anew, from the state as it is again.
      progress = answer.hold == .writes ? .performed(exchange, backend.refuse(exchange)) : .decided(exchange)
    }
    proceed()
    if case .none = progress { advance() }
    awaitPeer()
  }

  /// Gives the peer a time to take what waits for it, if nothing else limits the connection's life: one that is gone
  /// without a word would keep it for ever.
  private func awaitPeer() {
    if timeout == .distantFuture, output.pending > 0 { timeout = backend.tick + timeouts.writing }
  }

  private func sleep(for duration: Duration, since start: Tick) {
    guard duration > .zero else { return }
    wakeUp = start + duration
    timeout = .distantFuture
    awaitPeer()
  }

  /// Takes the exchange as far as it can go without waiting.
  private func proceed() {
    while wakeUp == nil {
      switch progress {
      case .none, .streaming: return
      case .decided(let exchange):
        let answer = backend.perform(exchange)
        progress = .performed(exchange, answer)
        isHeldForDisk = answer.hold != .none
        sleep(for: exchange.plan.waitAfter, since: backend.tick)
      case .performed(let exchange, let answer):
        if isHeldForDisk { return }
        write(answer, of: exchange)
      case .transmitting(let outgoing):
        guard !outgoing.isSilent else { return }
        progress = .none
        transmit(outgoing)
      }
    }
  }

  private func write(_ answer: Backend.Answer, of exchange: Exchange) {
    let isStream = answer.reply.follower != nil && !exchange.isHead
    // Without chunks, which HTTP/1.0 does not know, only the end of the connection can end a stream.
    let isLast = isStream && exchange.request.version == .http10
    let option = state.option(for: exchange.request.version, closing: isLast)
    let transmission = backend.write(answer, of: exchange, option, to: &output.bytes)
    state.advance(isLast ? .lastReplyBegan : .replyBegan)
    if let follower = answer.reply.follower, isStream {
      output.releaseAll()
      timeout = .distantFuture
      progress = .streaming(Streaming(follower: follower, isChunked: option == .unneeded, lastSign: backend.tick))
      return
    }
    let now = backend.tick
    progress = .transmitting(
      Outgoing(
        exchange: exchange, answer: answer, transmission: transmission, began: now, paced: now,
        released: transmission.extent.start))
  }

  private func transmit(_ current: Outgoing) {
    var outgoing = current
    switch outgoing.transmission.next() {
    case .release(let place):
      output.release(upTo: place)
      outgoing.released = place
      progress = .transmitting(outgoing)
    case .wait(let duration):
      progress = .transmitting(outgoing)
      sleep(for: duration, since: outgoing.paced)
    case .hold(let duration):
      timeout = .distantFuture
      awaitPeer()
      outgoing.isSilent = true
      if let duration { outgoing.paced = outgoing.paced + duration }
      progress = .transmitting(outgoing)
      if let duration { sleep(for: duration, since: backend.tick) }
      endSilenceIfVain()
    case .end:
      state.advance(.replyEnded)
      let outcome: JournalEntry.Outcome = outgoing.transmission.isDeliverable ? .sent : .notDeliverable
      conclude(outgoing, hasPeerFinished && outgoing.exchange.plan.delay > .zero ? .peerGone : outcome)
      if let sandbox = outgoing.exchange.sandbox, outgoing.exchange.id > 0 {
        unsent.append(Backend.Unsent(sandbox: sandbox, id: outgoing.exchange.id, end: outgoing.transmission.extent.end))
      }
    case .finish:
      progress = .transmitting(outgoing)
      abandon(.closed)
    case .reset:
      progress = .transmitting(outgoing)
      abandon(.reset)
      isReset = true
    }
  }

  /// Ends a silence that nobody listens to any more, or that would keep the server from stopping.
  func endSilenceIfVain() {
    guard progress.isSilent, hasPeerFinished || isDraining else { return }
    abandon(hasPeerFinished ? .peerGone : .cut)
  }

  /// Ends the exchange under way without its whole reply, and the connection after it.
  func abandon(_ outcome: JournalEntry.Outcome) {
    concludeUnderWay(outcome)
    output.discardUnreleased()
    state.advance(.replyAborted)
  }

  /// Notes how the exchange under way, if there is one, came out.
  func concludeUnderWay(_ outcome: JournalEntry.Outcome) {
    let current = progress
    progress = .none
    isHeldForDisk = false
    wakeUp = nil
    switch current {
    case .none, .streaming: return
    case .decided(let exchange): conclude(exchange, nil, outcome)
    case .performed(let exchange, let answer): conclude(exchange, answer, outcome)
    case .transmitting(let outgoing): conclude(outgoing, outcome)
    }
  }

  private func conclude(_ exchange: Exchange, _ answer: Backend.Answer?, _ outcome: JournalEntry.Outcome) {
    let delivery = Backend.Delivery(
      outcome: outcome, extent: nil, released: 0, began: backend.tick, isOnUsedConnection: state.requests > 1)
    backend.conclude(exchange, answer, delivery, output: [])
  }

  private func conclude(_ outgoing: Outgoing, _ outcome: JournalEntry.Outcome) {
    let delivery = Backend.Delivery(
      outcome: outcome, extent: outgoing.transmission.extent, released: outgoing.released, began: outgoing.began,
      isOnUsedConnection: state.requests > 1)
    backend.conclude(outgoing.exchange, outgoing.answer, delivery, output: output.bytes)
  }
}
