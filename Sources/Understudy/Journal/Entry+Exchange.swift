import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension Entry {
  /// Creates the entry of an exchange that has begun.
  init(of exchange: borrowing Exchange, _ texts: Texts, at now: ClockReading) {
    let route = exchange.destination
    self.init(
      id: exchange.id, at: now.advanced(to: exchange.arrival).real, method: exchange.method, api: exchange.api,
      operation: route.operationIndex, connection: exchange.link.number, n: exchange.n, replayOf: exchange.replayOf,
      isPlanned: exchange.isPlanned, network: exchange.metOutage ? .offline : nil, texts: texts, subject: route.subject)
    guard exchange.isPlanned || route.stream.operation != nil || route.undeclaredReason != nil else { return }
    var details = Details()
    (details.plan, details.operation) = (exchange.plan, route.stream.operation)
    details.undeclaredReason = route.undeclaredReason
    self.details = details
  }

  /// Records the end of the exchange.
  ///
  /// - Parameters:
  ///   - status: The status of the response; nil if there is none.
  ///   - transmission: Nil if no response was written.
  mutating func end(
    _ outcome: ExchangeOutcome, status: Int?, _ transmission: Transmission?, from arrival: MonotonicInstant,
    to end: MonotonicInstant
  ) {
    if let transmission, let layout = transmission.layout, let status {
      response = Response(status: status, bytes: transmission.bodyBytes, of: layout.end - layout.body)
    }
    self.outcome = outcome
    self.arrival = arrival
    measured = NanosecondDuration(from: arrival, to: transmission?.began ?? end)
    total = NanosecondDuration(from: arrival, to: end)
  }

  /// Stores what is known of a body that was refused before it had arrived: its length.
  mutating func storeAnnouncedBody(of exchange: borrowing Exchange) {
    mark(.comparedByBytes)
    body = exchange.first(.contentLength).map { Observation.hash(exchange.request.bytes[$0.value]) } ?? 0
  }

  /// Stores the hash of content that came in parts.
  mutating func storeHash(_ hash: ContentHash) {
    mark(.comparedByBytes)
    body = hash.value
  }

  /// Stores the hash of a request's body if its bytes are compared, because it is long or is not compared by its meaning.
  mutating func storeBody(of exchange: borrowing Exchange, isUnderstood: Bool) {
    let content = exchange.request.bytes[exchange.request.body]
    guard !content.isEmpty else { return }
    let isLong = content.count > ContentMeaning.maximumLength
    if isLong { mark(.comparedByBytes) }
    guard isLong || !isUnderstood else { return }
    var hash = ContentHash(type: exchange.bytes(of: .contentType))
    hash.add(content)
    body = hash.value
  }
}

extension Request {
  /// Returns its texts as they are stored.
  ///
  /// - Parameter count: The number of bytes of its response that are added next.
  func texts(_ edits: SecretMask.RequestEdits, adding count: Int = 0) -> Entry.Texts {
    // The empty line that ends the head is not stored.
    let head = head.lowerBound..<max(head.upperBound - 2, head.lowerBound)
    let body = body.prefix(Journal.maximumBodyBytes)
    var stored: [UInt8] = []
    stored.reserveCapacity(head.count + body.count + count)
    stored += edits.ofHead.isEmpty ? bytes[head] : edits.ofHead.applied(to: bytes[head])
    let headCount = stored.count
    if !body.isEmpty { stored += edits.ofBody.applied(to: bytes[body]) }
    return Entry.Texts(
      stored, head: head.lowerBound, count: headCount, method: method.count,
      target: target.lowerBound..<edits.ofHead.moved(target.upperBound), path: path,
      fields: (fields.first?.name.lowerBound).map(edits.ofHead.moved))
  }
}
