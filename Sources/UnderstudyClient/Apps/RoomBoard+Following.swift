import Foundation
import Primitives

extension RoomBoard {
  /// Follows the rooms until the task is cancelled, and resolves bookings with an unknown outcome. It uses the
  /// service's stream, which reports each change, or else refreshes at the board's interval. A failed stream is opened
  /// again after growing waits; the state has the reason of a failure.
  public func follow() async {
    // Another screen that joins does not shorten the waits of the one that requests.
    if wakeUps.followerCount == 0 { (hasStream, failedStreamCount) = (true, 0) }
    await wakeUps.loop(client.configuration.clock, every: refreshInterval) { [self] in await followOnce() }
  }

  /// Follows the rooms until the stream ends, or refreshes once.
  ///
  /// - Returns: The pause until the next time.
  private func followOnce() async -> Duration {
    if hasStream {
      switch await followStream() {
      case .unsupported: hasStream = false
      case .ended(let eventCount, let retryAfter):
        // A stream that `networkReturned()` has ended did not fail.
        if Task.isCancelled { return .zero }
        failedStreamCount = eventCount > 0 ? 1 : failedStreamCount + 1
        // The first waits of the policy would be too short for a service that restarts.
        let configuration = client.configuration
        let wait = configuration.policy.backoff(after: failedStreamCount + 2, random: 0.5 + configuration.random() / 2)
        return wait + (retryAfter ?? .zero)
      }
    }
    if (try? await refresh()) != nil { await resolveUnknown() }
    return client.varied(refreshInterval, by: jitter)
  }

  /// Requests the rooms, or opens the stream again, at once: the old stream may have died with the old network. Call it
  /// when the system reports that a network is available again.
  public func networkReturned() async {
    if !wakeUps.send(endingRounds: true), (try? await refresh()) != nil { await resolveUnknown() }
  }

  /// Shows the rooms of the service's stream until it ends.
  private func followStream() async -> RoomStreamEnd {
    let refresh = copy.beginRefresh()
    publish()
    let stream: TransportStream
    do throws(RequestError) {
      stream = try await client.booking.openStream(after: lastEventID)
    } catch {
      if error.isWithoutStream {
        copy.drop(refresh)
        return .unsupported
      }
      copy.end(refresh, with: error)
      publish()
      if case .rejected(let reason) = error { return .ended(eventCount: 0, retryAfter: reason.retryAfter) }
      return .ended(eventCount: 0, retryAfter: nil)
    }
    copy.drop(refresh)
    // If the rooms have changed since, they follow at once.
    if lastEventID != nil { copy.confirm(at: client.configuration.clock.date()) }
    publish()
    var (parser, eventCount) = (EventStreamParser(), 0)
    do {
      for try await piece in stream.body {
        // A comment also confirms the rooms: it shows that nothing has changed.
        if lastEventID != nil { copy.confirm(at: client.configuration.clock.date()) }
        for event in try parser.events(in: piece) {
          guard let rooms = try BookingCalls.rooms(event) else { continue }
          show(rooms)
          lastEventID = event.id
          eventCount += 1
          // Not awaited, because the next event must not wait for a booking.
          Task { await resolveUnknown() }
        }
      }
    } catch {
      if Task.isCancelled { return .ended(eventCount: eventCount, retryAfter: nil) }
      let reason =
        error is EventStreamParser.LineTooLong
        ? .unreadable("The stream has a line without an end.")
        : error as? FailureReason ?? (error as? TransportFailure)?.reason ?? .connectionLost("\(error)")
      copy.end(copy.beginRefresh(), with: .unanswered(reason))
      publish()
    }
    return .ended(eventCount: eventCount, retryAfter: nil)
  }

  private func show(_ rooms: [MeetingRoom]) {
    copy.end(copy.beginRefresh(), at: client.configuration.clock.date()) { $0 = MeetingRoom.byAvailability(rooms) }
    publish()
  }

  private func resolveUnknown() async {
    for booking in bookings where booking.state == .unknown { _ = try? await resolve(booking) }
  }
}
