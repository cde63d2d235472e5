/// The values of an exchange that contain references, kept beside its record until it is judged. A client's plain reads
/// of a route share one, if they show the same.
package struct RecordAttachment: Sendable {
  let subject: Subject
  let client: Observation.Client
  /// The body of a response that shows a record that can be audited.
  let shown: [UInt8]?
  let rare: Observation.SharedDetails?

  package init(
    _ subject: Subject, _ client: Observation.Client, shown: [UInt8]? = nil, rare: Observation.SharedDetails? = nil
  ) {
    self.subject = subject
    self.client = client
    self.shown = shown
    self.rare = rare
  }

  /// True for a client's plain reads of a route that show this.
  fileprivate func isPlain(_ subject: Subject, _ client: Observation.Client, shown: [UInt8]?) -> Bool {
    self.subject === subject && self.client === client && rare == nil && self.shown == shown
  }
}

extension [RecordAttachment] {
  /// Stores an attachment, and returns its index.
  package mutating func store(_ new: RecordAttachment) -> Int32 {
    append(new)
    return Int32(count - 1)
  }

  /// Returns the index of the attachment of a client's plain reads of a route that show the same.
  package mutating func storePlain(_ subject: Subject, _ client: Observation.Client, shown: [UInt8]?) -> Int32 {
    let last = count - 1
    if last >= 0, self[last].isPlain(subject, client, shown: shown) { return Int32(last) }
    return store(RecordAttachment(subject, client, shown: shown))
  }
}

extension Observation {
  /// Creates the view of a record.
  ///
  /// - Parameter texts: The head of the request, as the journal has it.
  package init(of record: borrowing ExchangeRecord, _ attachment: RecordAttachment, _ texts: ArraySlice<UInt8>) {
    self.init()
    refer(to: attachment)
    show(record, texts)
  }
}
