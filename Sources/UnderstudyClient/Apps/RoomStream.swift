import Contract
import Foundation
import Primitives

extension BookingCalls {
  /// Opens the stream of rooms (source: `GET /rooms/stream`), which sends all rooms after each change.
  ///
  /// - Parameter lastID: The id of the last event, whose rooms are not sent again.
  func openStream(after lastID: String?) async throws(RequestError) -> TransportStream {
    let configuration = client.configuration
    let call = Call<Void>("followBookingRooms", of: .booking, at: client.endpoints.booking) { _ in }
    if let defect = call.defect { throw .notSent(.unsendable(defect)) }
    var headers = [
      "Accept": "text/event-stream", "Cache-Control": "no-cache",
      "Understudy-Client": configuration.id.uuidString.lowercased(),
    ]
    headers["Last-Event-ID"] = lastID
    let stream: TransportStream
    do throws(TransportFailure) {
      stream = try await configuration.transport.open(
        TransportRequest(method: "GET", url: call.url, headers: headers), timeout: configuration.policy.timeoutPerTry)
    } catch {
      switch error {
      case .notSent(let reason): throw .notSent(reason)
      case .lost(let reason): throw .unanswered(reason)
      }
    }
    let head = TransportResponse(status: stream.status, headers: stream.headers)
    guard stream.status == 200 else {
      let wait = RetryAfter.duration(
        head.header("Retry-After"), date: head.header("Date"), now: configuration.clock.date())
      throw .rejected(Rejection(head, retryAfter: wait))
    }
    guard head.header("Content-Type")?.lowercased().hasPrefix("text/event-stream") == true else {
      throw .unanswered(.unreadable("The response is not a stream of events."))
    }
    return stream
  }

  /// Decodes the rooms of an event; nil for an event of another name.
  static func rooms(_ event: ServerSentEvent) throws(FailureReason) -> [MeetingRoom]? {
    guard event.name == "rooms" else { return nil }
    do {
      return try TransportResponse(status: 200, body: Data(event.data.utf8)).decoded(as: MeetingRoom.List.self).rooms
    } catch {
      throw .unreadable("\(error)")
    }
  }
}

/// The end of a stream of rooms.
enum RoomStreamEnd {
  /// The service or the transport has no streams.
  case unsupported
  /// The stream ended, or could not be opened.
  ///
  /// - Parameters:
  ///   - eventCount: The number of events that arrived.
  ///   - retryAfter: The time for which the server asked the client to wait.
  case ended(eventCount: Int, retryAfter: Duration?)
}

extension RequestError {
  /// True if the service has no stream: it does not know the path, or the transport cannot open one.
  var isWithoutStream: Bool {
    switch self {
    case .rejected(let reason): [400, 404, 405, 406, 410, 501].contains(reason.status) || reason.status < 400
    case .notSent(.unsendable): true
    default: false
    }
  }
}
