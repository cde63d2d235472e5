/// The faults without parameters that send no bytes of their own.
extension Effect.Kind {
  package static let resetBare = Effect.Kind(
    plain: "reset-bare",
    Page(
      "The connection is reset before any byte.",
      wire: "RST. On a reused connection, libcurl and URLSession on Linux send the request once more by themselves, "
        + "even a POST.",
      limit:
        "The repeated request gets the plan of the original one, and is not counted. The same holds for requests that "
        + "the transports of Java, Apache and Ruby repeat on any connection, and for reads that Firefox repeats.",
      example: #"{"fault": "reset-bare"}"#)
  ) { .ending(.resetBare) }

  package static let empty = Effect.Kind(
    plain: "empty",
    Page(
      "The connection is closed normally before any byte.",
      wire: "FIN, and no byte of a response.",
      limit: "The client cannot tell whether the request was applied; the phase decides that.",
      example: #"{"fault": "empty"}"#)
  ) { .ending(.empty) }
}

extension TransportFault {
  package static let resetBare: TransportFault = TransportFault(.resetBare, first: .nothing, last: .reset)
  package static let empty: TransportFault = TransportFault(.empty, first: .nothing, last: .close)
}
