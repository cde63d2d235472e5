/// The meaning of a tool's words about a failed exchange.
enum RecordedFailure {
  /// The client, its page or its user ended it.
  case cancelled
  /// The client never sent it, or did not give the response to the page.
  case unsent
  /// It had not ended when the recording did.
  case unfinished
  /// The backend could not be reached.
  case unreachable
  /// The client waited in vain.
  case late
  /// The backend closed the connection without a response.
  case closed
  /// Any other failure.
  case lost

  init(_ text: String) {
    let text = text.lowercased()
    if text == "aborted" || text == "abort" {
      self = .cancelled
      return
    }
    if Self.states.contains(where: { text == $0 || text.hasPrefix($0 + "_") }) {
      self = .unfinished
      return
    }
    self = Self.firstWord(in: Array(text.utf8))?.failure ?? .lost
  }

  /// The states of requests that had not ended.
  private static let states = [
    "incomplete", "in_progress", "in progress", "pending", "sending", "receiving", "waiting",
  ]

  /// A word of a tool, and its place in the order in which they decide.
  private struct Word {
    let rank: Int
    let bytes: [UInt8]
    let failure: RecordedFailure
  }

  /// The words by their first bytes: one pass over a text finds all that it contains. A search for each word would take
  /// seconds for a recording in which every request failed.
  private static let wordsByFirstByte: [UInt8: [Word]] = {
    let list = words.flatMap { group in group.words.map { (group.failure, Array($0.utf8)) } }
    let ranked = list.enumerated().map { Word(rank: $0, bytes: $1.1, failure: $1.0) }
    return Dictionary(grouping: ranked) { $0.bytes[0] }
  }()

  /// Returns the word of the lowest rank that a text contains.
  private static func firstWord(in text: [UInt8]) -> Word? {
    var first: Word?
    for start in text.indices {
      for word in wordsByFirstByte[text[start]] ?? [] where word.rank < first?.rank ?? .max {
        if text[start...].starts(with: word.bytes) { first = word }
      }
    }
    return first
  }

  /// The words of the tools, in the order in which they decide.
  private static let words: [(failure: RecordedFailure, words: [String])] = [
    (.closed, ["by server", "server closed", "server disconnect", "server hung", "remote end closed"]),
    (
      .unsent,
      [
        "block", "err_failed", "err_cache", "content security policy", "csp", "mixed content", "mixed-content", "cors",
        "cross-origin", "cross origin", "err_access_denied", "unknown_url_scheme", "invalid_url", "unsafe_port",
        "disallowed", "tracking", "dom_bad_uri", "insufficient_resources", "redirect", "cert", "ssl", "tls", "pkix",
        "sec_error", "handshake", "integrity", "not sent", "never sent",
      ]
    ),
    (
      .cancelled,
      [
        "err_aborted", "binding_aborted", "ns_error_abort", "aborterror", "operation was aborted", "user abort",
        "user has abort", "request abort", "request was abort", "request has been abort", "aborted a request",
        "signal is aborted", "aborted by", "(aborted)", "cancel", "client disconnect", "client closed", "client abort",
        "client reset", "client hung", "client left", "client gone", "client terminated", "client ended",
        "client timed out", "by client", "by the client", "by user", "by the user", "by the page", "page was closed",
        "page closed", "target closed", "browser has been closed", "navigat", "killed", "-999", "interrupted by",
      ]
    ),
    (.late, ["timed out", "timed_out", "timeout", "time-out", "timedout", "deadline", "-1001"]),
    (
      .unreachable,
      [
        "refused", "internet_disconnected", "unreachable", "not_resolved", "not resolve", "resolve host",
        "unknown_host", "unknown host", "unknownhost", "enotfound", "eai_", "getaddrinfo", "nodename",
        "specified hostname", "dns",
        "no route", "offline", "no internet", "no network", "not connected", "could not connect", "couldn't connect",
        "unable to connect", "failed to connect", "cannot connect", "connect call failed", "connection_failed",
        "connection failed", "err_proxy", "tunnel", "network_io_suspended", "network_changed",
      ]
    ),
    (.closed, ["empty_response", "empty response", "hang up", "closed", "no response", "disconnect", "eof"]),
  ]
}
