public import Foundation

// Sentences for display: the error, its reason, and what the user can do. `errorDescription` is the title of an alert,
// `failureReason` and `recoverySuggestion` are its text.

extension RequestError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .rejected(let rejection): "The server refused the request: \(rejection.title)."
    case .notSent(.cancelled), .unanswered(.cancelled): "The request was cancelled."
    case .notSent: "The request was not sent."
    case .unknown: "It is unknown if the change was made."
    case .unanswered: "The server sent no usable response."
    }
  }

  public var failureReason: String? {
    switch self {
    case .rejected(let rejection): rejection.detail.isEmpty ? rejection.title : rejection.detail
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
  public var errorDescription: String? {
    switch self {
    case .offline: "The device has no network connection."
    case .unreachable: "The server cannot be reached."
    case .timedOut: "The server did not respond in time."
    case .connectionLost: "The connection was lost before the response was complete."
    case .unreadable: "The response could not be read. It may be the log-in page of a network."
    case .serverFailure(let rejection): "The server responded: \(rejection.title)."
    case .tooSoon(let duration): "The server asked to wait for \(duration.wholeSeconds)."
    case .cancelled: "The request was cancelled."
    case .unsendable(let text): text
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .offline: "Try again when there is a network."
    case .unreachable, .timedOut, .connectionLost: "Check the network connection and try again."
    case .unreadable: "Log in to the network in a browser, then try again."
    case .serverFailure(let rejection): rejection.suggestion
    case .tooSoon(let duration): "Try again in \(duration.wholeSeconds)."
    case .cancelled: "Try again if necessary."
    case .unsendable: "Correct what was entered."
    }
  }
}

extension Rejection {
  fileprivate var suggestion: String {
    if let retryAfter, retryAfter > .zero { return "Try again in \(retryAfter.wholeSeconds)." }
    return switch status {
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
    case .notSent: "The request was not sent."
    case .lost: "The response was lost."
    }
  }

  public var failureReason: String? {
    switch self {
    case .notSent(let reason), .lost(let reason): reason.errorDescription
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .notSent(let reason), .lost(let reason): reason.recoverySuggestion
    }
  }
}

extension BookingError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .full: "The room is full."
    case .noSuchRoom: "The room does not exist any more."
    case .request(.unknown): "It is unknown if the room was booked."
    case .request, .storage: "Nothing was booked."
    }
  }

  public var failureReason: String? {
    switch self {
    case .full: "Its last spot was booked before yours."
    case .noSuchRoom: "The server has no room of this name."
    case .request(let error): error.failureReason
    case .storage(let error): error.errorDescription
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .full, .noSuchRoom: "Choose another room."
    case .request(.unknown): "Tap again to find out. The room is booked at most once."
    case .request(let error): error.recoverySuggestion
    case .storage(let error): error.recoverySuggestion
    }
  }
}

extension StorageError: LocalizedError {
  public var errorDescription: String? { "The file \(path) cannot be read or written." }
  public var failureReason: String? { detail }
  public var recoverySuggestion: String? { "Free some space on the device and try again." }
}

extension FetchError: LocalizedError {
  public var errorDescription: String? {
    switch self {
    case .cancelled: "The request was cancelled."
    case .network: "The users could not be fetched."
    case .server(let rejection): "The server refused the request: \(rejection.title)."
    case .invalidResponse: "The server's response is not a list of users."
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
