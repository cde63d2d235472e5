import Contract
import Faults
import HTTP1
import Primitives
import Services

extension Responder {
  /// Returns the response stored under the request's `Idempotency-Key`, or creates and stores it.
  func idempotent(
    _ exchange: inout Exchange, _ request: Requested, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let key: Idempotency.Key
    do throws(Problem) {
      guard let found = try exchange.idempotencyKey() else {
        return conditional(&exchange, request, application, now)
      }
      key = found
    } catch {
      return .response(.problem(error))
    }
    let content = exchange.keyedContent
    guard content.isLong, request.sandbox.state.idempotency.comparesDigest(for: key, id: exchange.ordinal) else {
      return keyed(key, { content.digest }, &exchange, request, application, now)
    }
    return .job(.long, { { content.digest } }) { digest, exchange, application, now in
      keyed(key, { digest }, &exchange, request, application, now)
    }
  }

  /// Continues a request with a key, when the digest of its content is known.
  private func keyed(
    _ key: Idempotency.Key, _ digest: () -> KeyedContent.Digest, _ exchange: inout Exchange, _ request: Requested,
    _ application: Application, _ now: ClockReading
  ) -> Performance {
    let verdict = request.sandbox.state.idempotency.verdict(
      for: key, content: exchange.keyedContent, id: exchange.ordinal, digest: digest)
    switch verdict {
    case .replay(var response):
      response.fields.append(ResponseField(IdempotencyKey.replayField, "true"))
      return .response(response)
    case .mismatched: return .response(.problem(.mismatchedKey(key.text)))
    case .inFlight: return .response(.problem(.keyInFlight(key.text)))
    case .fresh:
      let content = digest()
      return conditional(&exchange, request, application, now)
        .then(
          { [sandbox = request.sandbox] response, _, _, _ in
            sandbox.store(response, for: key, content: content)
            return .response(response)
          }, for: &exchange, application, at: now)
    }
  }
}
