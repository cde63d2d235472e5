import Contract
import Faults
import HTTP1
import Primitives
import Services

/// The idempotency keys around a source: it gets one of the requests with one key, whose response all of them get.
struct Keys<Inner: Source>: Source {
  private let inner: Inner

  init(_ inner: Inner) { self.inner = inner }

  func expectation(of request: Requested, _ exchange: borrowing Exchange, _ application: Application)
    -> Responder.Expectation
  {
    let expectation = inner.expectation(of: request, exchange, application)
    guard exchange.has(.idempotencyKey) else { return expectation }
    // A key stands for the content, too, even if the operation ignores it.
    let readsContent = request.operation.documentation.body != nil || !request.operation.method.isSafe
    do throws(Problem) {
      let isKnown = try exchange.idempotencyKey().map { request.sandbox.state.idempotency.knows($0) } == true
      // The response to a known key does not depend on the state.
      if !isKnown, case .refused = expectation { return expectation }
    } catch {
      return .refused(.problem(error))
    }
    return readsContent ? .content : .final
  }

  func response(
    to request: Requested, _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    guard exchange.has(.idempotencyKey) else { return inner.response(to: request, &exchange, application, now) }
    let key: Idempotency.Key
    do throws(Problem) {
      guard let found = try exchange.idempotencyKey() else {
        return inner.response(to: request, &exchange, application, now)
      }
      key = found
    } catch {
      return .response(.problem(error))
    }
    let content = exchange.keyedContent
    guard content.isLong, request.sandbox.state.idempotency.comparesDigest(for: key, id: exchange.ordinal) else {
      return response(to: request, under: key, { content.digest }, &exchange, application, now)
    }
    return .job(.worker, { { content.digest } }) { digest, exchange, application, now in
      response(to: request, under: key, { digest }, &exchange, application, now)
    }
  }

  /// Continues a request with a key, when the digest of its content is known.
  private func response(
    to request: Requested, under key: Idempotency.Key, _ digest: () -> KeyedContent.Digest,
    _ exchange: inout Exchange, _ application: Application, _ now: ClockReading
  ) -> Performance {
    let lookup = request.sandbox.state.idempotency.lookup(
      for: key, content: exchange.keyedContent, id: exchange.ordinal, digest: digest)
    switch lookup {
    case .replay(var response):
      response.fields.append(ResponseField(IdempotencyKey.replayField, "true"))
      return .response(response)
    case .mismatched: return .response(.problem(.mismatchedKey(key.text)))
    case .inFlight: return .response(.problem(.keyInFlight(key.text)))
    case .fresh:
      let content = digest()
      return inner.response(to: request, &exchange, application, now)
        .then(
          { [sandbox = request.sandbox] response, _, _, _ in
            sandbox.store(response, for: key, content: content)
            return .response(response)
          }, for: &exchange, application, at: now)
    }
  }
}
