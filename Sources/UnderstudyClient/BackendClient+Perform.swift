import Contract
import Foundation
import Primitives

/// The execution of one call, from its first attempt to its last.
extension BackendClient {
  func perform<Value>(_ call: Call<Value>) async throws(RequestError) -> Response<Value> {
    if let defect = call.defect { throw .notSent(.unsendable(defect)) }
    let start = configuration.clock.elapsed()
    var policy = configuration.policy
    policy.maximumAttempts = call.maximumAttempts ?? policy.maximumAttempts
    /// The reason for which an earlier attempt may have been applied; nil if none may.
    var doubt: FailureReason?
    var attempt = 0
    while true {
      attempt += 1
      let attemptFailure: AttemptFailure
      switch await tryOnce(call, policy, since: start) {
      case .success(let response):
        await memory.depositSuccess()
        return response
      case .failure(let failure): attemptFailure = failure
      }
      if call.changesState, case .unknown(let reason) = attemptFailure.error { doubt = reason }
      guard await pause(after: attempt, attemptFailure, call.repeatability, policy, since: start) else {
        throw Self.final(attemptFailure.error, doubt: doubt)
      }
      if Task.isCancelled { throw Self.cancelled(call.changesState, doubt: doubt) }
    }
  }

  /// Performs a call for the app, and throws `CancellationError` if it was cancelled and no write may have been
  /// applied.
  func value<Value>(of call: Call<Value>) async throws -> Value {
    do throws(RequestError) {
      return try await perform(call).value
    } catch {
      throw error.surfaced
    }
  }

  /// Waits according to the policy.
  ///
  /// - Returns: True if there should be another attempt.
  func pause(
    after attempt: Int, _ failure: AttemptFailure, _ repeatability: Repeatability, _ policy: RetryPolicy,
    since start: Duration
  ) async -> Bool {
    let decision = policy.decision(
      for: attempt, outcome: failure.outcome, repeatability: repeatability,
      elapsed: configuration.clock.elapsed() - start, random: configuration.random())
    guard case .wait(let duration) = decision, await memory.withdrawRetry() else { return false }
    // An interrupted sleep ends here; the caller then checks for cancellation.
    try? await configuration.clock.sleep(duration)
    return true
  }

  /// A failed attempt, with its outcome for the retry policy and its error for the caller.
  struct AttemptFailure: Error {
    let outcome: AttemptOutcome
    let error: RequestError
  }

  private func tryOnce<Value>(
    _ call: Call<Value>, _ policy: RetryPolicy, since start: Duration
  ) async -> Result<Response<Value>, AttemptFailure> {
    let isRead = !call.changesState
    if Task.isCancelled { return .failure(AttemptFailure(outcome: .abandoned, error: .notSent(.cancelled))) }
    let copy = call.isCacheable ? await memory.response(for: call.url) : nil
    if let copy, let fresh = freshCachedResponse(call, copy) { return .success(fresh) }
    if let failure = await waitForRetryAfter(on: call.retryAfterKey, policy, since: start) { return .failure(failure) }
    do {
      let request = request(call, copy: copy)
      let remaining = policy.deadline - (configuration.clock.elapsed() - start)
      let timeout = max(min(policy.timeoutPerTry, remaining), .milliseconds(1))
      let response = try await configuration.transport.send(request, timeout: timeout)
      return await read(response, call, copy)
    } catch {
      switch error {
      case .notSent(let reason): return .failure(AttemptFailure(outcome: .notSent, error: .notSent(reason)))
      case .lost(let reason):
        let outcome = reason == .cancelled ? AttemptOutcome.abandoned : .lost
        return .failure(AttemptFailure(outcome: outcome, error: isRead ? .unanswered(reason) : .unknown(reason)))
      }
    }
  }

  /// Waits for as long as the server asked earlier calls to wait, with some jitter.
  ///
  /// - Returns: The reason for which there is no attempt, if that time is too long or the call was cancelled.
  private func waitForRetryAfter(
    on key: RetryAfterCache.Key, _ policy: RetryPolicy, since start: Duration
  ) async -> AttemptFailure? {
    while let remaining = await memory.retryAfter(on: key) {
      let wait = remaining + policy.baseDelay * configuration.random()
      let elapsed = configuration.clock.elapsed() - start
      guard remaining <= policy.maximumRetryAfter, elapsed + wait < policy.deadline else {
        return AttemptFailure(outcome: .abandoned, error: .notSent(.tooSoon(remaining)))
      }
      try? await configuration.clock.sleep(wait)
      if Task.isCancelled { return AttemptFailure(outcome: .abandoned, error: .notSent(.cancelled)) }
    }
    return nil
  }

  private func request<Value>(_ call: Call<Value>, copy: ResponseCache.CachedResponse?) -> TransportRequest {
    var headers = call.headers
    headers["Accept"] = headers["Accept"] ?? "application/json"
    headers["Understudy-Client"] = configuration.id.uuidString.lowercased()
    if call.body != nil { headers["Content-Type"] = "application/json" }
    if let copy { headers["If-None-Match"] = copy.etag }
    // Intermediate caches may hold copies too; this requires an answer from the server itself.
    if call.isCacheable { headers["Cache-Control"] = "no-cache" }
    return TransportRequest(
      method: call.operation.method.rawValue, url: call.url, headers: headers, body: call.body)
  }

  private func freshCachedResponse<Value>(_ call: Call<Value>, _ copy: ResponseCache.CachedResponse) -> Response<Value>?
  {
    guard let acceptable = call.acceptableAge,
      configuration.clock.elapsed() - copy.storedAt <= min(acceptable, copy.lifetime),
      let value = try? call.decode(copy.response)
    else { return nil }
    return Response(fetched: CachedValue(value, at: copy.date, from: .cache), response: copy.response)
  }

  private func read<Value>(
    _ response: TransportResponse, _ call: Call<Value>, _ copy: ResponseCache.CachedResponse?
  ) async -> Result<Response<Value>, AttemptFailure> {
    if response.status == 304, let copy, let value = try? call.decode(copy.response) {
      let renewed = ResponseCache.CachedResponse(etag: copy.etag, response: copy.response, at: configuration.clock)
      await memory.store(renewed, for: call.url)
      return .success(
        Response(fetched: CachedValue(value, at: renewed.date, from: .revalidated), response: copy.response))
    }
    guard call.isSuccess(response.status) else { return .failure(await refusal(response, call)) }
    // The body of a read shows if it is valid. The acknowledgement of a write must be unmistakable, media type
    // included.
    if call.changesState, let type = response.header("Content-Type"), !type.lowercased().contains("json") {
      return .failure(unreadable("The response to a write has the media type \(type).", response, call))
    }
    do {
      let value = try call.decode(response)
      if call.isCacheable, let etag = response.header("ETag") {
        await memory.store(.init(etag: etag, response: response, at: configuration.clock), for: call.url)
      }
      return .success(
        Response(fetched: CachedValue(value, at: configuration.clock.date(), from: .network), response: response))
    } catch {
      return .failure(unreadable("\(error)", response, call))
    }
  }

  private func refusal<Value>(_ response: TransportResponse, _ call: Call<Value>) async -> AttemptFailure {
    let rejection = Rejection(
      response,
      retryAfter: RetryAfter.duration(
        response.header("Retry-After"), date: response.header("Date"), now: configuration.clock.date()))
    guard response.status >= 400 else {
      return unreadable("The operation does not have the status \(response.status).", response, call)
    }
    if [429, 503].contains(response.status), let pause = rejection.retryAfter {
      await memory.forbid(call.retryAfterKey, for: pause)
    }
    let outcome = AttemptOutcome.answered(
      status: response.status, retryAfter: rejection.retryAfter, isKeyInFlight: rejection.isKeyInFlight)
    let isDoubtful = call.changesState && outcome.mayHaveApplied
    return AttemptFailure(
      outcome: outcome, error: isDoubtful ? .unknown(.serverFailure(rejection)) : .rejected(rejection))
  }

  private func unreadable<Value>(
    _ detail: String, _ response: TransportResponse, _ call: Call<Value>
  ) -> AttemptFailure {
    let reason = response.isWebPage ? FailureReason.webPage : .unreadable(detail)
    return AttemptFailure(outcome: .lost, error: call.changesState ? .unknown(reason) : .unanswered(reason))
  }

  /// Returns the error of the whole call: if an earlier attempt may have been applied, only the service's own refusal
  /// shows that it was not.
  private static func final(_ error: RequestError, doubt: FailureReason?) -> RequestError {
    guard let doubt else { return error }
    if case .rejected(let rejection) = error, rejection.settlesEarlierAttempts { return error }
    return .unknown(doubt)
  }

  private static func cancelled(_ changesState: Bool, doubt: FailureReason?) -> RequestError {
    guard changesState else { return .unanswered(.cancelled) }
    return doubt == nil ? .notSent(.cancelled) : .unknown(.cancelled)
  }
}
