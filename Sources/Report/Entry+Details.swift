package import Contract
package import Faults

extension Entry {
  /// The identification of a client for people, shared by all of its exchanges.
  package final class Client: Sendable {
    let hash: UInt64
    /// Its name, else its `User-Agent`, cut to what a sentence shows.
    let text: [UInt8]
    /// Its address.
    let peer: String
    let peerHash: UInt64
    /// True if it said who it is by `Understudy-Client`.
    let isNamed: Bool

    init(_ hash: UInt64, _ text: ArraySlice<UInt8>, isNamed: Bool = true, at peer: String) {
      self.hash = hash
      self.isNamed = isNamed
      self.text = Array(text.prefix(80))
      self.peer = peer
      peerHash = Observation.hash(peer)
    }

    /// The client of an exchange of which none is known.
    static let unknown = Client(0, [], at: "")
  }

  /// The details that most exchanges do not have, or have from their route.
  package struct Details: Sendable {
    package var plan = Plan.none
    /// The hash of the `Idempotency-Key`.
    package var key: UInt64?
    /// The wait that the response requested, and true if it did so by an HTTP-date.
    package var retryAfter: Duration?
    package var isRetryAfterDate = false
    /// The id of the last event that the request claims to have, as the hash of an entity tag: `Last-Event-ID`.
    package var lastEvent: UInt64?
    /// The hashes of the entity tags in the request's `If-None-Match`.
    package var namedTags: [UInt64] = []
    /// The time for which the response of a backend may be reused.
    package var lifetime: Duration?
    /// The hash of `Range`, which is a part of what is asked for; 0 if there is none.
    package var range: UInt64 = 0
    /// The hash of the fields by which an equal request is another one: credentials, tokens against forgery, the media type,
    /// and those that `Vary` names; 0 if there are none.
    package var variant: UInt64 = 0
    /// The hash of `Authorization` as it was sent, with a signature that is computed anew each time; 0 if there is none.
    package var authorization: UInt64 = 0
    /// The hashes of the entity tags in the request's `If-Match`.
    package var requiredTags: [UInt64] = []
    /// The hash of a backend's content; nil if it is not known.
    package var content: UInt64?
    /// The hash of what a backend names as the result of a write: its `Location`, else the `id` in its content; nil if there is
    /// neither.
    package var result: UInt64?
    /// A remark for people.
    package var remark: String?
    /// The name that the file of semantics gives the operation.
    package var operation: String?
    /// The reason for which it is not known whether a rule of semantics applies.
    package var undeclaredReason: String?
    /// The result of asking the backend; nil if it was not asked.
    package var upstream: UpstreamOutcome?

    package init() {}
  }

  /// The details of an exchange that has any. A class, because its readers would copy all of a value for one of them.
  final class RareDetails: Sendable {
    let details: Details

    init(_ details: consuming Details) { self.details = details }
  }
}
