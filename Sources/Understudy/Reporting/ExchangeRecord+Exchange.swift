import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

extension ExchangeRecord {
  /// Creates the record of an exchange that no journal stores. Its texts are in the request's own bytes.
  init(unstored exchange: borrowing Exchange, at now: ClockReading) {
    let head = exchange.request.head
    self.init(
      id: exchange.id, at: now.advanced(to: exchange.arrival).real, method: exchange.method, api: exchange.api,
      operation: exchange.destination.operationIndex, connection: exchange.link.number, n: exchange.n,
      replayOf: exchange.replayOf, isPlanned: exchange.isPlanned, network: exchange.metOutage ? .offline : nil,
      texts: exchange.request.texts(from: head.lowerBound, count: head.count, body: 0))
  }

  /// Records the end of the exchange.
  ///
  /// - Parameters:
  ///   - status: The status of the response; nil if there is none.
  ///   - transmission: Nil if no response was written.
  ///   - fields: The position of the response's field lines in the ring.
  mutating func end(
    _ outcome: ExchangeOutcome, status: Int?, _ transmission: Transmission?, fields: Range<Int>,
    from arrival: MonotonicInstant, to end: MonotonicInstant
  ) {
    if let transmission, let layout = transmission.layout, let status {
      response = Response(
        status: status, fields: fields, bytes: transmission.bodyBytes, of: layout.end - layout.body)
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
  /// Returns the positions of its parts in texts that have `count` bytes for its head, and then `body` of its body.
  ///
  /// - Parameter edits: Those of the head.
  func texts(from start: Int, count: Int, body: Int, _ edits: [SecretMask.Edit] = []) -> ExchangeRecord.Texts {
    ExchangeRecord.Texts(
      start: start, head: head.lowerBound, count: count, method: method.count,
      target: target.lowerBound..<edits.moved(target.upperBound), path: path,
      fields: (fields.first?.name.lowerBound).map(edits.moved), body: body)
  }
}
