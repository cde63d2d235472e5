public import Foundation
import Platform

// Sentences for display. `errorDescription`, which is `localizedDescription`, alone says what happened: an alert may show
// nothing else. `failureReason` gives only the reason, and `recoverySuggestion` says what the user can do.

extension RequestError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .rejected(let rejection): rejection.clause.sentence
    case .notSent(.cancelled), .unanswered(.cancelled): "The request was cancelled."
    case .notSent(let reason): "The request was not sent: \(reason.clause)."
    case .unknown(let reason): "It is unknown whether the change was made: \(reason.clause)."
    case .unanswered(let reason): "There was no usable response: \(reason.clause)."
    }
  }

  public var failureReason: String? {
    switch self {
    case .rejected(let rejection): rejection.detail.isEmpty ? rejection.clause.sentence : rejection.detail
    case .notSent(let reason), .unknown(let reason), .unanswered(let reason): reason.errorDescription
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .rejected(let rejection): rejection.suggestion
    case .notSent(let reason), .unanswered(let reason): reason.recoverySuggestion
    case .unknown: "Refresh to see if the change was made before you repeat it."
    }
  }
}

extension FailureReason: LocalizedError {
  public var errorDescription: String? { clause.sentence }

  /// The reason as a part of a sentence.
  var clause: String {
    switch self {
    case .offline: "the device has no network connection"
    case .unreachable: "the server cannot be reached"
    case .timedOut: "the server did not respond in time"
    case .connectionLost: "the connection was lost before the response was complete"
    case .unreadable: "the server's response could not be read"
    case .webPage: "a web page came instead, probably the log-in page of a network"
    case .serverFailure(let rejection): rejection.clause
    case .tooSoon(let duration): "the service allows the next request in \(duration.wholeSeconds)"
    case .cancelled: "the request was cancelled"
    case .unsendable(let text): text.clause
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .offline: "Try again when there is a network."
    case .unreachable, .timedOut, .connectionLost: "Check the network connection and try again."
    case .unreadable: "Try again later. If this remains, the app needs an update."
    case .webPage: "Log in to the network in a browser, then try again."
    case .serverFailure(let rejection): rejection.suggestion
    case .tooSoon(let duration): "Try again in \(duration.wholeSeconds)."
    case .cancelled: "Try again if necessary."
    case .unsendable: "Correct what was entered."
    }
  }
}

extension Rejection {
  /// The refusal as a part of a sentence. The server's own words are used where only the server knows the reason.
  var clause: String {
    switch status {
    case 0: "the request cannot be sent: \(detail.clause)"
    case 401: "the server requires a log-in"
    case 403: "the server does not allow this"
    case 405, 501: "the service does not offer this"
    case 408: "the request arrived too slowly"
    case 429: "the server received too many requests"
    case 503: "the server is overloaded or under maintenance"
    case 500...: "the server failed"
    case 404 where type == Self.untyped, 410 where type == Self.untyped: "the server does not have this"
    default: "the server refused the request (\(title))"
    }
  }

  fileprivate var suggestion: String {
    if let retryAfter, retryAfter > .zero { return "Try again in \(retryAfter.wholeSeconds)." }
    return switch status {
    case 405, 501: "This is not possible with this service."
    case 408, 429, 500...: "Try again later."
    case 401, 403: "Check that you are allowed to do this."
    case 404, 410: "Refresh to see the current content."
    case 409, 412: "It was changed in the meantime. Refresh, then decide again."
    default: "Correct what was entered."
    }
  }
}

extension TransportFailure: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .notSent(let reason): "The request was not sent: \(reason.clause)."
    case .lost(let reason): "The response was lost: \(reason.clause)."
    }
  }

  public var failureReason: String? { reason.errorDescription }
  public var recoverySuggestion: String? { reason.recoverySuggestion }
}

extension BookingError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .full: "The room is full."
    case .noSuchRoom: "The room does not exist any more."
    case .notOffered: "The service takes no bookings: it only shows the rooms."
    case .request(.unknown(let reason)): "It is unknown whether the room was booked: \(reason.clause)."
    case .request(let error): "Nothing was booked: \(error.obstacle.clause)."
    case .storage(let error): "Nothing was booked: \(error.clause)."
    }
  }

  public var failureReason: String? {
    switch self {
    case .full: "No spot in it is free."
    case .noSuchRoom: "The server has no room of this name."
    case .notOffered: "The service only shows the rooms."
    case .request(let error): error.failureReason
    case .storage(let error): error.errorDescription
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .full, .noSuchRoom: "Choose another room."
    case .notOffered: "Book the room in another way."
    case .request(.unknown): "Tap again to find out. The room is booked at most once."
    case .request(let error): error.recoverySuggestion
    case .storage(let error): error.recoverySuggestion
    }
  }
}

extension StorageError: LocalizedError {
  public var errorDescription: String? { clause.sentence }
  public var failureReason: String? { description }

  public var recoverySuggestion: String? {
    guard case .failed(_, let detail) = self else { return "Quit every other copy of the app, then restart this one." }
    // The details are the system's messages.
    let needsSpace = [POSIXErrorCode.ENOSPC, .EDQUOT].contains { detail.contains(SystemError.reason(of: $0.rawValue)) }
    return needsSpace
      ? "Free some space on the device and try again."
      : "Restart the app and try again. If this remains, the app cannot use its directory."
  }

  fileprivate var clause: String {
    switch self {
    case .failed(_, let detail): "the device could not store or read this (\(detail))"
    case .changedByAnotherProcess: "another process has changed the app's data"
    }
  }
}

extension FetchError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .cancelled: "The request was cancelled."
    case .network(let error), .invalidResponse(let error):
      "The users could not be fetched: \(error.obstacle.clause)."
    case .server(let rejection): "The users could not be fetched: \(rejection.clause)."
    }
  }

  public var failureReason: String? { requestError?.failureReason }
  public var recoverySuggestion: String? { requestError?.recoverySuggestion }
}

extension Duration {
  fileprivate var wholeSeconds: String {
    let seconds = max(1, Int(inSeconds.rounded(.up)))
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}

extension String {
  /// The text without a full stop.
  fileprivate var clause: String { hasSuffix(".") ? String(dropLast()) : self }

  /// The text with a capital and a full stop.
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
