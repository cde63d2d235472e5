/// The faults without parameters whose bytes need no making.
extension Effect.Kind {
  package static let reset = Effect.Kind(
    plain: "reset",
    Page(
      "The connection is reset after the status line.",
      wire: "The status line, then RST. A client library has seen the start of a response, so it does not replay the "
        + "request silently.",
      limit: "It does not tell whether the request was applied; the phase decides that.",
      example: #"{"fault": "reset"}"#)
  ) { .ending(.reset) }

  package static let resetBare = Effect.Kind(
    plain: "reset-bare",
    Page(
      "The connection is reset before any byte.",
      wire: "RST. On a reused connection libcurl, and URLSession on Linux, send the request once more by themselves, a "
        + "POST too.",
      limit: "Such a replay gets the plan of the request that it replays, and does not count as a request of its own.",
      example: #"{"fault": "reset-bare"}"#)
  ) { .ending(.resetBare) }

  package static let empty = Effect.Kind(
    plain: "empty",
    Page(
      "The connection is closed in good order before any byte.",
      wire: "FIN, and no byte of a response.",
      limit: "It does not tell whether the request was applied; the phase decides that.",
      example: #"{"fault": "empty"}"#)
  ) { .ending(.empty) }
}

extension TransportFault {
  package static let reset: TransportFault = TransportFault(.reset, first: .statusLine, last: .reset)
  package static let resetBare: TransportFault = TransportFault(.resetBare, first: .nothing, last: .reset)
  package static let empty: TransportFault = TransportFault(.empty, first: .nothing, last: .close)
}
