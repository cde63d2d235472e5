import Contract
import Faults
import Primitives

/// A finished exchange as the checks see it: its entry, with the values that most of them need. No check looks into a request or
/// a response.
package struct Observation: Sendable {
  package var entry: Entry
  /// The meaning of a request that is no read; nil for a read.
  package internal(set) var meaning: Meaning?
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  var pathHash: UInt64 = 0
  /// The hash of what else the target says: its query.
  var query: UInt64 = 0
  /// The hash that attempts of one logical request share.
  private(set) var identity: UInt64 = 0
  /// The instants at which the request was complete and its exchange ended: real time plus the advances of the
  /// sandbox's clock.
  var arrival: MonotonicInstant
  var end: MonotonicInstant
  /// The instant before which the response asked for no further request; nil if it did not ask.
  var notBefore: MonotonicInstant? {
    guard let details = entry.rare?.details, let asked = details.retryAfter, asked > .zero else { return nil }
    // A date is that of the response, whose whole seconds may lag by one; seconds count from when it was made.
    return details.isRetryAfterDate
      ? arrival + asked - .seconds(1) : arrival + entry.measured.duration - details.plan.delayAfter + asked
  }
}

extension Observation {
  /// Creates the observation of an exchange.
  package init(_ entry: consuming Entry, _ meaning: Meaning?) {
    let subject = entry.subject
    let pathHash = subject.operation == nil ? Subject.pathHash(entry.api, entry.texts.path) : subject.pathHash
    let (query, arrival) = (Self.queryHash(of: entry), entry.arrival + entry.advancedAtArrival)
    let end = entry.arrival + entry.total + entry.advancedAtEnd
    // An initializer that set these members itself would copy the whole entry.
    self.init(entry: entry, meaning: meaning, pathHash: pathHash, query: query, arrival: arrival, end: end)
    identify()
  }

  private static func queryHash(of entry: borrowing Entry) -> UInt64 {
    guard entry.texts.hasQuery else { return 0 }
    let rest = entry.texts.query
    return rest.firstIndex(of: UInt8(ascii: "?")).map { hash(rest[($0 + 1)...]).mixed(with: 1) } ?? 0
  }
}

extension Observation {
  /// The target, which only a sentence needs.
  package var target: ArraySlice<UInt8> { entry.texts.target.prefix(CheckRunner.maximumTargetBytes) }

  var isSuccess: Bool {
    // A result is worked out only where something is out of the ordinary.
    if outcome == .sent, !isPlanned, let status, status < 400 { return true }
    return result == .success
  }

  /// The intent of a read of one record or of all; nil for other requests.
  var readIntent: Intent? {
    if let intent = meaning?.intent { return intent.reads ? intent : nil }
    return subject.readIntent
  }

  /// Its traits; what it is among attempts is known apart.
  var traits: Traits {
    var traits = subject.traits
    if isWrite { traits.insert(.write) }
    if isSuccess {
      if entry[.tagged], isGet, !isWrite { traits.insert(.tagged) }
    } else if hasFailed {
      traits.insert(.failed)
    }
    guard let details = entry.rare?.details else { return traits }
    if details.key != nil { traits.insert(.keyed) }
    if !details.plan.isEmpty || !details.plan.rules.isEmpty { traits.insert(.planned) }
    if details.lifetime != nil { traits.insert(.timed) }
    if !details.requiredTags.isEmpty { traits.insert(.broken) }
    return traits
  }
}

extension Observation {
  /// Computes the hash that makes requests equal; once, because most checks use it.
  ///
  /// Writes are equal by their meaning, reads by their target.
  mutating func identify() {
    guard isWrite else {
      let resource = client.mixed(with: pathHash).mixed(with: isGet ? 1 : verb)
      let range = entry.rare?.details.range ?? 0
      return identity = resource.mixed(with: query).mixed(with: body).mixed(with: key ?? 1).mixed(with: range)
    }
    if intent == nil { meaning = Meaning(intentOfBytes, purpose) }
    identity = client.mixed(with: UInt64(api ?? 255))
    if isComparedByBytes { return identity = identity.mixed(with: bytesHash) }
    identity = identity.mixed(with: intent?.hash ?? 0)
  }

  /// The intent of a write that is known by its bytes alone.
  private var intentOfBytes: Intent {
    guard isOfUnknownAPI, let operation, let record = subject.named else {
      return Intent(.none, record: pathHash, meaning: bytesHash)
    }
    return Intent(operation.effect.kind, of: record, meaning: bytesHash)
  }

  /// The hash of method, path and content, and of the query if an unknown API may read it.
  private var bytesHash: UInt64 {
    let hash = pathHash.mixed(with: verb).mixed(with: body)
    return isOfUnknownAPI ? hash.mixed(with: query) : hash
  }

  /// The hash of the method.
  private var verb: UInt64 { Self.hash(method) }

  package static func hash(_ text: String) -> UInt64 { FNV1a.hash(text) }
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 { Fingerprint(of: bytes).value }
}

extension UInt64 {
  /// Returns one hash of two. It withstands accidents, not malice.
  package func mixed(with word: UInt64) -> UInt64 { Fingerprint.mix(word, into: self) }
}
