/// The values of an exchange that contain references, kept beside its record until it is judged. A client's plain reads
/// of a route share one, if they show the same.
package struct RecordAttachment: Sendable {
  let subject: Subject
  var client: Observation.Client
  /// The meaning of a request that is no read.
  private(set) var meaning: Meaning?
  /// The body of a response that shows a record that can be audited; empty if there is none.
  private var shown: [UInt8] = []
  var rare: Observation.SharedDetails?

  /// The content that the report reads.
  package enum Content: Sendable {
    case none
    /// The body of a response that shows a record that can be audited.
    case shown([UInt8])
    /// The meaning of a request that is no read.
    case meant(Meaning)
  }

  package init(
    _ subject: Subject, _ client: Observation.Client, _ content: Content = .none,
    rare: Observation.SharedDetails? = nil
  ) {
    self.subject = subject
    self.client = client
    self.rare = rare
    switch content {
    case .none: break
    case .shown(let body): shown = body
    case .meant(let meaning): self.meaning = meaning
    }
  }

  /// Replaces the content by a meaning. At most one of `meaning` and `shown` is set.
  mutating func setMeaning(_ meaning: Meaning) { (self.meaning, shown) = (meaning, []) }

  var effect: Observation.Effect {
    if let meaning { return meaning.effect }
    guard !shown.isEmpty, let record = subject.record else { return .none }
    return .read(record, body: shown)
  }

  /// The hash of the request's intent; nil if only its bytes are known.
  var intentHash: UInt64? { meaning?.intent?.hash ?? subject.readIntent?.hash }

  /// True for a client's plain reads of a route that show the same.
  fileprivate func isPlain(_ subject: Subject, _ client: Observation.Client, _ content: Content) -> Bool {
    guard self.subject === subject, self.client === client, rare == nil, meaning == nil else { return false }
    return switch content {
    case .none: shown.isEmpty
    case .shown(let body): shown == body
    case .meant: false
    }
  }
}

extension [RecordAttachment] {
  /// Stores an attachment, and returns its index.
  package mutating func store(_ new: RecordAttachment) -> Int32 {
    append(new)
    return Int32(count - 1)
  }

  /// Returns the index of the attachment of an exchange without rare details; a client's reads that show the same share
  /// one.
  package mutating func storePlain(
    _ subject: Subject, _ client: Observation.Client, _ content: RecordAttachment.Content
  ) -> Int32 {
    let last = count - 1
    if last >= 0, self[last].isPlain(subject, client, content) { return Int32(last) }
    return store(RecordAttachment(subject, client, content))
  }
}

extension Observation {
  /// Creates the observation of a record.
  ///
  /// - Parameter texts: The head of the request, as the journal has it.
  package init(of record: borrowing ExchangeRecord, _ attachment: RecordAttachment, _ texts: ArraySlice<UInt8>) {
    self.init()
    (self.record, self.attachment, head) = (copy record, attachment, texts)
    deriveProperties()
  }
}
