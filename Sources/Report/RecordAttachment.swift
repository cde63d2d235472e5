/// The values of an exchange that contain references, kept beside its record until it is judged. A client's
/// consecutive plain reads of a route share one.
package struct RecordAttachment: Sendable {
  let subject: Subject
  var client: Observation.Client
  /// The meaning of a request that is no read; nil for a read.
  var meaning: Meaning?
  var rare: Observation.SharedDetails?

  package init(
    _ subject: Subject, _ client: Observation.Client, _ meaning: Meaning? = nil, rare: Observation.SharedDetails? = nil
  ) {
    self.subject = subject
    self.client = client
    self.meaning = meaning
    self.rare = rare
  }

  /// The hash of the request's intent; nil if only its bytes are known.
  var intentHash: UInt64? { meaning?.intent?.hash ?? subject.readIntent?.hash }

  /// True for a client's plain requests of a route.
  fileprivate func isPlain(_ subject: Subject, _ client: Observation.Client) -> Bool {
    self.subject === subject && self.client === client && rare == nil && meaning == nil
  }
}

extension [RecordAttachment] {
  /// Stores an attachment, and returns its index.
  package mutating func store(_ new: RecordAttachment) -> Int32 {
    append(new)
    return Int32(count - 1)
  }

  /// Returns the index of the attachment of an exchange without rare details; a client's consecutive reads of a route
  /// share one.
  package mutating func storePlain(_ subject: Subject, _ client: Observation.Client, _ meaning: Meaning?) -> Int32 {
    let last = count - 1
    if meaning == nil, last >= 0, self[last].isPlain(subject, client) { return Int32(last) }
    return store(RecordAttachment(subject, client, meaning))
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
