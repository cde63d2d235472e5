import Foundation
import Platform
import Testing

@testable import UnderstudyClient

@Suite("Localized errors")
struct LocalizedErrorTests {
  static let obstacles: [FailureReason] = [
    .offline, .unreachable("no such host"), .timedOut, .connectionLost("cut"), .unreadable("no JSON"), .webPage,
    .serverFailure(Rejection(status: 503)), .tooSoon(.seconds(2)), .cancelled,
    .unsendable("An empty id names nothing."),
  ]

  static let errors: [any LocalizedError] = {
    var errors: [any LocalizedError] = []
    for obstacle in obstacles {
      errors.append(RequestError.notSent(obstacle))
      errors.append(RequestError.unknown(obstacle))
      errors.append(RequestError.unanswered(obstacle))
      errors.append(TransportFailure.lost(obstacle))
      errors.append(obstacle)
    }
    for status in [400, 401, 404, 405, 409, 429, 503] {
      errors.append(RequestError.rejected(Rejection(status: status)))
    }
    let bookingErrors: [BookingError] = [
      .full, .noSuchRoom, .notOffered, .request(.unknown(.timedOut)), .request(.notSent(.offline)),
    ]
    errors += bookingErrors
    errors.append(StorageError.failed(path: "/d/outbox", detail: "No space left on device"))
    errors.append(StorageError.changedByAnotherProcess(path: "/d/outbox"))
    errors.append(FetchError.network(.notSent(.offline)))
    errors.append(FetchError.server(Rejection(status: 500)))
    return errors
  }()

  @Test("have a description and a recovery suggestion")
  func sentences() {
    for error in Self.errors {
      let sentence = error.errorDescription ?? ""
      #expect(sentence.hasSuffix(".") && sentence == error.localizedDescription, "\(error)")
      #expect(error.recoverySuggestion?.hasSuffix(".") == true, "\(error)")
    }
  }

  @Test("state what happened, why, and what to do")
  func wording() {
    let offline = RequestError.notSent(.offline)
    #expect(offline.localizedDescription == "The request was not sent: the device has no network connection.")
    #expect(offline.failureReason == "The device has no network connection.")
    #expect(offline.recoverySuggestion == "Try again when there is a network.")
    #expect(RequestError.unknown(.timedOut).recoverySuggestion?.hasPrefix("Refresh") == true)
    let busy = RequestError.rejected(Rejection(status: 429, retryAfter: .milliseconds(1_500)))
    #expect(busy.recoverySuggestion == "Try again in 2 seconds.")
    let busyForNow = RequestError.rejected(Rejection(status: 429, retryAfter: .zero))
    #expect(busyForNow.recoverySuggestion == "Try again later.")
    let refused = RequestError.rejected(Rejection(status: 409, type: "urn:x", title: "The room is full"))
    #expect(refused.localizedDescription == "The server refused the request (The room is full).")
    let unclear = BookingError.request(.unknown(.connectionLost("-1005")))
    #expect(
      unclear.localizedDescription
        == "It is unknown whether the room was booked: the connection was lost before the response was complete.")
  }

  @Test("do not blame the server for a request that cannot be sent, nor a full disk for a directory without rights")
  func blame() {
    let unsendable = Rejection.unsendable("The id is empty.")
    #expect(
      RequestError.rejected(unsendable).localizedDescription == "The request cannot be sent: The id is empty.")
    let (full, closed) = (
      StorageError.failed(path: "/d", detail: SystemError.reason(of: ENOSPC)),
      StorageError.failed(path: "/d", detail: SystemError.reason(of: EACCES))
    )
    #expect(full.recoverySuggestion?.contains("space") == true)
    #expect(closed.recoverySuggestion?.contains("space") == false)
  }

  @Test("do not quote the words of a planned fault")
  func plannedFault() async throws {
    for status in [400, 404, 409, 410, 429, 503] {
      let body = #"{"type":"urn:understudy:problem:injected","title":"An injected failure","detail":"Planned."}"#
      let client = try BackendClient.scripted(ScriptedTransport(.response(status, body)))
      let error = await #expect(throws: RequestError.self) { try await client.devices.list() }
      for text in [error?.errorDescription, error?.failureReason, error?.recoverySuggestion] {
        #expect(text?.isEmpty == false && text?.contains("njected") == false && text?.contains("Planned") == false)
      }
    }
  }
}
