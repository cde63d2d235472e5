/// The values of an exchange that contain references, kept beside its record until it is judged. A client's plain reads
/// of a route share one.
package struct RecordAttachment: Sendable {
  let subject: Subject
  let client: Observation.Client
  let content: Content
  let rare: Observation.SharedDetails?

  /// The content that the report reads.
  package enum Content: Sendable {
    case none
    /// The body of a response that shows a record that can be audited.
    case shown([UInt8])
    /// The meaning of a request that is no read.
    case meant(Meaning)

    var isNone: Bool { if case .none = self { true } else { false } }
    var meaning: Meaning? { if case .meant(let meaning) = self { meaning } else { nil } }

    /// True if it shows or sets registers.
    var isAudited: Bool {
      switch self {
      case .none: false
      case .shown: true
      case .meant(let meaning): !meaning.effect.isNone
      }
    }

    func effect(of subject: Subject?) -> Observation.Effect {
      switch self {
      case .none: .none
      case .shown(let body): subject?.record.map { .read($0, body: body) } ?? .none
      case .meant(let meaning): meaning.effect
      }
    }
  }

  package init(
    _ subject: Subject, _ client: Observation.Client, _ content: Content = .none,
    rare: Observation.SharedDetails? = nil
  ) {
    self.subject = subject
    self.client = client
    self.content = content
    self.rare = rare
  }

  /// True for plain reads of a route.
  var isPlain: Bool { content.isNone && rare == nil }
}

extension [RecordAttachment] {
  /// Stores an attachment, and returns its index.
  package mutating func store(_ new: RecordAttachment) -> Int32 {
    append(new)
    return Int32(count - 1)
  }

  /// Returns the index of the attachment of a client's plain reads of a route.
  package mutating func storePlain(_ subject: Subject, _ client: Observation.Client) -> Int32 {
    let last = count - 1
    if last >= 0, self[last].subject === subject, self[last].client === client, self[last].isPlain {
      return Int32(last)
    }
    return store(RecordAttachment(subject, client))
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
