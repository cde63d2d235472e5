import Contract
import Faults
import Primitives

/// One finished exchange as the checks see it while it is judged: its record, its attachment, and its texts. No check
/// looks into a request or a response.
package struct Observation: Sendable {
  package var record: ExchangeRecord
  package var attachment: RecordAttachment
  /// The head of the request and what is stored of its body, as the journal has them.
  package var head: ArraySlice<UInt8> = []
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  var pathHash: UInt64 = 0
  /// The hash of what else the target says: its query.
  var query: UInt64 = 0
  /// The hash that attempts of one logical request share, after `identify()`.
  private(set) var identity: UInt64 = 0
  /// The instants at which the request was complete and its exchange ended: real time plus the advances of the
  /// sandbox's clock.
  var arrival = MonotonicInstant(nanoseconds: 0)
  var end = MonotonicInstant(nanoseconds: 0)
  /// The instant before which the response asked for no further request; nil if it did not ask.
  var notBefore: MonotonicInstant? {
    guard let details = attachment.rare?.details, let asked = details.retryAfter, asked > .zero else { return nil }
    // A date is that of the response, whose whole seconds may lag by one; seconds count from when it was made.
    return details.isRetryAfterDate
      ? arrival + asked - .seconds(1) : arrival + record.measured.duration - details.plan.delayAfter + asked
  }

  package final class SharedDetails: Sendable {
    let details: RareDetails

    package init(_ details: consuming RareDetails) { self.details = details }
  }

  /// Creates the observation of a GET of which nothing else is known.
  package init() {
    record = ExchangeRecord(
      id: 0, at: Instant(nanoseconds: 0), method: .get, api: nil, connection: 0, n: 0, replayOf: nil,
      texts: ExchangeRecord.Texts(start: 0, count: 0))
    attachment = RecordAttachment(.unknown, .unknown)
  }
}

extension Observation {
  /// Derives what depends on its record, its attachment and its texts, after these were set. One value serves a batch,
  /// because creating one for each exchange costs more.
  package mutating func deriveProperties() {
    arrival = record.arrival + record.advancedAtArrival
    end = record.arrival + record.total + record.advancedAtEnd
    pathHash = attachment.subject.pathHash
    if attachment.subject.operation == nil { pathHash = Subject.pathHash(api, text(record.texts.path)) }
    query = 0
    let (path, target) = (record.texts.path, record.texts.target)
    if path.upperBound < target.upperBound { query = Self.queryHash(of: text(path.upperBound..<target.upperBound)) }
    identify()
  }

  /// A part of the texts.
  private func text(_ part: ExchangeRecord.Texts.Part) -> ArraySlice<UInt8> {
    head[part.lowerBound + head.startIndex..<part.upperBound + head.startIndex]
  }

  private static func queryHash(of rest: ArraySlice<UInt8>) -> UInt64 {
    rest.firstIndex(of: UInt8(ascii: "?")).map { hash(rest[($0 + 1)...]).mixed(with: 1) } ?? 0
  }

  /// The same with a target of its own, so that it can be kept while the journal goes on.
  package var standalone: Observation {
    var observation = self
    observation.target = Array(target)[...]
    return observation
  }

  /// The target, which only a sentence needs.
  package var target: ArraySlice<UInt8> {
    get { text(record.texts.target).prefix(CheckRunner.maximumTargetBytes) }
    set {
      head = newValue
      record.texts = ExchangeRecord.Texts(
        start: 0, head: newValue.startIndex, count: newValue.count, method: 0, target: newValue.indices,
        path: newValue.indices, fields: nil, body: 0)
    }
  }

  var isSuccess: Bool {
    // A result is worked out only where something is out of the ordinary.
    if outcome == .sent, !isPlanned, let status, status < 400 { return true }
    return result == .success
  }

  /// The intent of a read of one record or of all; nil for other requests.
  var readIntent: Intent? {
    if let intent = attachment.meaning?.intent { return intent.reads ? intent : nil }
    return attachment.subject.readIntent
  }

  /// Its traits; what it is among attempts is known apart.
  var traits: Traits {
    var traits = attachment.subject.traits
    if isWrite { traits.insert(.write) }
    if isSuccess {
      if record[.tagged], isGet, !isWrite { traits.insert(.tagged) }
    } else if hasFailed {
      traits.insert(.failed)
    }
    guard let details = attachment.rare?.details else { return traits }
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
      let range = attachment.rare?.details.range ?? 0
      return identity = resource.mixed(with: query).mixed(with: body).mixed(with: key ?? 1).mixed(with: range)
    }
    if attachment.intentHash == nil { attachment.meaning = Meaning(intentOfBytes, purpose) }
    identity = client.mixed(with: UInt64(api ?? 255))
    if isComparedByBytes { return identity = identity.mixed(with: bytesHash) }
    identity = identity.mixed(with: attachment.intentHash ?? 0)
  }

  /// The intent of a write that is known by its bytes alone.
  private var intentOfBytes: Intent {
    guard isOfUnknownAPI, let operation, let record = attachment.subject.named else {
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
