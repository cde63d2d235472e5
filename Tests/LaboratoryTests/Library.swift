import Foundation
import Testing

/// The retry rule of a popular client library, set up as its own documentation recommends.
struct Library: Sendable, CustomTestStringConvertible {
  let name: String
  /// The place where the formula can be read.
  let source: String
  /// The number of attempts, the first one included.
  let attempts: Int
  /// Returns the wait before retry `number` (1 for the first), in seconds. `draw` returns a number from 0 to less than 1.
  let wait: @Sendable (_ number: Int, _ draw: () -> Double) -> Double
  /// True if the library repeats POST and PATCH by default; an Idempotency-Key makes that safe.
  var repeatsUnsafe = false
  /// False where a wait is never cut short by `Retry-After`, since the library does not read it.
  var readsRetryAfter = true

  var testDescription: String { name }
}

extension Library {
  /// Libraries in a configuration that their documentation recommends: waits that grow and differ.
  static let wellConfigured: [Library] = [
    Library(
      name: "urllib3 Retry(total=4, backoff_factor=0.5, backoff_jitter=0.5), as requests uses it",
      source: "urllib3/util/retry.py: get_backoff_time; no wait before the first retry",
      attempts: 5
    ) { number, draw in number == 1 ? 0 : min(120, 0.5 * pow(2, Double(number - 1)) + draw() * 0.5) },
    Library(
      name: "tenacity wait_random_exponential(multiplier=1, max=60), stop_after_attempt(5)",
      source: "tenacity/wait.py: wait_random_exponential", attempts: 5,
      wait: { number, draw in
        draw() * min(60, pow(2, Double(number - 1)))
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "tenacity wait_exponential_jitter(initial=1, jitter=1)",
      source: "tenacity/wait.py: wait_exponential_jitter", attempts: 5,
      wait: { number, draw in
        min(60, pow(2, Double(number - 1)) + draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "stamina defaults", source: "stamina/_core.py: wait_initial 0.1, wait_jitter 1, wait_max 5, timeout 45",
      attempts: 10, wait: { number, draw in min(5, 0.1 * pow(2, Double(number - 1)) + draw()) }, repeatsUnsafe: true,
      readsRetryAfter: false),
    Library(
      name: "aiohttp-retry JitterRetry(attempts=4)",
      source: "aiohttp_retry/retry_options.py: start_timeout 0.1, factor 2, uniform(0, 2) ** 2", attempts: 4,
      wait: { number, draw in min(30, 0.1 * pow(2, Double(number)) + pow(draw() * 2, 2)) }, repeatsUnsafe: true,
      readsRetryAfter: false),
    Library(
      name: "go-retryablehttp LinearJitterBackoff, 800 ms to 1.2 s",
      source: "hashicorp/go-retryablehttp client.go: LinearJitterBackoff", attempts: 5
    ) { number, draw in (0.8 + draw() * 0.4) * Double(number) },
    Library(
      name: "cenkalti/backoff defaults", source: "cenkalti/backoff exponential.go: 500 ms, × 1.5, ± 50 %", attempts: 6,
      wait: { number, draw in 0.5 * pow(1.5, Double(number - 1)) * (0.5 + draw()) }, readsRetryAfter: false),
    Library(
      name: "p-retry({retries: 4, randomize: true})", source: "node-retry lib/retry.js: createTimeout", attempts: 5,
      wait: { number, draw in (1 + draw()) * pow(2, Double(number - 1)) }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "got({retry: {limit: 3, noise: 1000}})",
      source: "got source/core/calculate-retry-delay.ts: 2 ** (attempt - 1) * 1000 + random * noise", attempts: 4
    ) { number, draw in pow(2, Double(number - 1)) + draw() },
    Library(
      name: "faraday-retry max: 3, interval: 0.5, interval_randomness: 0.5, backoff_factor: 2",
      source: "lostisland/faraday-retry middleware.rb: calculate_retry_interval", attempts: 4
    ) { number, draw in 0.5 * pow(2, Double(number - 1)) * (1 + draw() * 0.5) },
    Library(
      name: "Polly v8 exponential with UseJitter, base 2 s",
      source: "App-vNext/Polly RetryHelper.cs: DecorrelatedJitterBackoffV2", attempts: 4
    ) { number, draw in decorrelatedJitter(number, draw) * 2 },
    Library(
      name: "AWS SDK standard mode", source: "AWS SDKs reference, retry behavior: random(0, 1) * min(2 ** i, 20) s",
      attempts: 3, wait: { number, draw in draw() * min(20, pow(2, Double(number - 1))) }, readsRetryAfter: false),
    Library(
      name: "gRPC-like service config", source: "gRFC A6: random(0.8, 1.2) × min(initial × 2 ** (n - 1), max)",
      attempts: 5
    ) { number, draw in (0.8 + draw() * 0.4) * min(10, 0.5 * pow(2, Double(number - 1))) },
    Library(
      name: "OkHttp defaults, retried by hand",
      source: "okhttp RetryAndFollowUpInterceptor: 503 only with Retry-After: 0",
      attempts: 1
    ) { _, _ in 0 },
  ]

  /// Libraries left at defaults that a report should complain about: their waits grow, and do not differ.
  static let withoutJitter: [Library] = [
    Library(name: "curl --retry 4", source: "curl tool_operate.c: 1 s, doubled up to 10 min", attempts: 5) {
      number, _ in
      min(600, pow(2, Double(number - 1)))
    },
    Library(
      name: "go-retryablehttp DefaultBackoff", source: "hashicorp/go-retryablehttp client.go: 1 s × 2 ** n, up to 30 s",
      attempts: 5
    ) { number, _ in min(30, pow(2, Double(number - 1))) },
    Library(
      name: "Alamofire RetryPolicy", source: "Alamofire RetryPolicy.swift: pow(2, retryCount) × 0.5 s", attempts: 3
    ) { number, _ in pow(2, Double(number - 1)) * 0.5 },
  ]

  /// The wait before retry `number` at a base of one second.
  private static func decorrelatedJitter(_ number: Int, _ draw: () -> Double) -> Double {
    // The formula is a difference of two points on a curve; the earlier point is drawn for the retry before.
    func curve(_ attempt: Double) -> Double { pow(2, attempt) * tanh(sqrt(4 * attempt)) }
    let before = number == 1 ? 0 : curve(Double(number - 2) + draw())
    return max(0, curve(Double(number - 1) + draw()) - before) / 1.4
  }
}
