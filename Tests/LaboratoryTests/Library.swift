import Foundation
import Testing

/// The retry rule of a popular client library, set up as its own documentation recommends.
struct Library: Sendable, CustomTestStringConvertible {
  let name: String
  /// The version, and the file or page where its waits can be read, as the table has it.
  let source: String
  /// The number of attempts, the first one included.
  let attempts: Int
  /// Returns the wait before retry `number` (from 1), in seconds. `draw` returns a number from 0 to less than 1.
  let wait: @Sendable (_ number: Int, _ draw: () -> Double) -> Double
  /// True if the library repeats POST and PATCH by default; an Idempotency-Key makes that safe.
  var repeatsUnsafe = false
  /// False if the library does not read `Retry-After`.
  var readsRetryAfter = true

  var testDescription: String { name }

  /// The row of the table in the page about the checks.
  var row: String { "| \(name) | \(attempts) | \(source) |" }
}

extension Library {
  static let all = wellConfigured + withoutJitter

  /// Libraries in a configuration that their documentation recommends: waits that grow and differ.
  static let wellConfigured: [Library] = [
    Library(
      name: "urllib3 and requests, `Retry(total=4, backoff_factor=0.5, backoff_jitter=0.5)`",
      source: "urllib3 2, `util/retry.py`, `get_backoff_time`", attempts: 5
    ) { number, draw in number == 1 ? 0 : min(120, 0.5 * pow(2, Double(number - 1)) + draw() * 0.5) },
    Library(
      name: "tenacity, `wait_random_exponential(multiplier=1, max=60)`", source: "tenacity 8, `wait.py`", attempts: 5,
      wait: { number, draw in
        draw() * min(60, pow(2, Double(number - 1)))
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "tenacity, `wait_exponential_jitter(initial=1, max=60, jitter=1)`", source: "tenacity 8, `wait.py`",
      attempts: 5,
      wait: { number, draw in
        min(60, pow(2, Double(number - 1)) + draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "stamina, as it comes", source: "stamina, `_core.py`, `retry`",
      attempts: 10,
      wait: { number, draw in
        min(5, 0.1 * pow(2, Double(number - 1)) + draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "aiohttp-retry, `JitterRetry(attempts=4)`", source: "aiohttp-retry 2, `retry_options.py`", attempts: 4,
      wait: { number, draw in
        min(30, 0.1 * pow(2, Double(number))) + pow(draw() * 2, 2)
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "go-retryablehttp, `RateLimitLinearJitterBackoff`, 800 ms to 1.2 s",
      source: "go-retryablehttp 0.7, `client.go`", attempts: 5
    ) { number, draw in (0.8 + draw() * 0.4) * Double(number) },
    Library(
      name: "cenkalti/backoff, `NewExponentialBackOff()`", source: "cenkalti/backoff 4, `exponential.go`", attempts: 6,
      wait: { number, draw in
        min(60, 0.5 * pow(1.5, Double(number - 1))) * (0.5 + draw())
      }, readsRetryAfter: false),
    Library(
      name: "p-retry, `{retries: 4, randomize: true}`", source: "node-retry 0.13, `lib/retry.js`, `createTimeout`",
      attempts: 5,
      wait: { number, draw in
        (1 + draw()) * pow(2, Double(number - 1))
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "got, `{retry: {limit: 3, noise: 1000}}`", source: "got, `source/core/calculate-retry-delay.ts`",
      attempts: 4
    ) { number, draw in pow(2, Double(number - 1)) + draw() },
    Library(
      name: "faraday-retry, `max: 3, interval: 0.5, interval_randomness: 0.5, backoff_factor: 2`",
      source: "faraday-retry 2, `middleware.rb`, `calculate_retry_interval`", attempts: 4
    ) { number, draw in 0.5 * pow(2, Double(number - 1)) + draw() * 0.25 },
    Library(
      name: "Polly, exponential with `UseJitter`, base 2 s",
      source: "Polly 8, `RetryHelper.cs`, `DecorrelatedJitterBackoffV2`", attempts: 4
    ) { number, draw in decorrelatedJitter(number, draw) * 2 },
    Library(
      name: "AWS SDKs, mode `standard`", source: "AWS SDKs and Tools Reference Guide, Retry behavior", attempts: 3,
      wait: { number, draw in
        min(20, draw() * pow(2, Double(number - 1)))
      }, readsRetryAfter: false),
    Library(
      name: "gRPC, service config with 0.5 s to 10 s, factor 2",
      source: "gRFC A6 of August 2024, Exponential Backoff (full jitter before)", attempts: 5
    ) { number, draw in (0.8 + draw() * 0.4) * min(10, 0.5 * pow(2, Double(number - 1))) },
    Library(
      name: "axios-retry, `exponentialDelay`", source: "axios-retry 4, `src/index.ts`", attempts: 4
    ) { number, draw in 0.1 * pow(2, Double(number)) * (1 + 0.2 * draw()) },
    Library(
      name: "google-api-core, `Retry()`",
      source: "google-api-core 2, `retry/retry_base.py`, `exponential_sleep_generator`", attempts: 5,
      wait: { number, draw in
        draw() * min(60, pow(2, Double(number - 1)))
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "Azure SDK for JavaScript, as it comes", source: "@azure/core-rest-pipeline, `calculateRetryDelay`",
      attempts: 4
    ) { number, draw in (0.5 + 0.5 * draw()) * min(64, pow(2, Double(number - 1))) },
    Library(
      name: "client-go, `wait.Backoff{Duration: 500ms, Factor: 2, Jitter: 0.1}`",
      source: "apimachinery, `util/wait/backoff.go`", attempts: 5,
      wait: { number, draw in
        0.5 * pow(2, Double(number - 1)) * (1 + 0.1 * draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "Resilience4j, `ofExponentialRandomBackoff()`", source: "Resilience4j 2, `IntervalFunction.java`",
      attempts: 3,
      wait: { number, draw in
        0.5 * pow(1.5, Double(number - 1)) * (0.5 + draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "Failsafe, `withBackoff(1s, 30s).withJitter(.1)`", source: "Failsafe 3, `RetryPolicyBuilder.java`",
      attempts: 4,
      wait: { number, draw in
        min(30, pow(2, Double(number - 1))) * (0.9 + 0.2 * draw())
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "backoff for Python, `expo`", source: "backoff 2, `_jitter.py`, `full_jitter`",
      attempts: 5,
      wait: { number, draw in
        draw() * pow(2, Double(number - 1))
      }, repeatsUnsafe: true, readsRetryAfter: false),
    Library(
      name: "OkHttp, as it comes", source: "OkHttp 4, `RetryAndFollowUpInterceptor.kt`", attempts: 1
    ) { _, _ in 0 },
  ]

  /// Libraries with defaults that the report should criticize: their waits grow, but have no jitter.
  static let withoutJitter: [Library] = [
    Library(
      name: "curl, `--retry 4`", source: "curl 7.88, its manual page, `--retry`",
      attempts: 5
    ) { number, _ in min(600, pow(2, Double(number - 1))) },
    Library(
      name: "go-retryablehttp, `DefaultBackoff`", source: "go-retryablehttp 0.7, `client.go`", attempts: 5
    ) { number, _ in min(30, pow(2, Double(number - 1))) },
    Library(
      name: "Alamofire, `RetryPolicy()`", source: "Alamofire 5, `RetryPolicy.swift`",
      attempts: 3
    ) { number, _ in 0.5 * pow(2, Double(number - 1)) },
  ]

  /// The wait before retry `number` at a base of one second.
  ///
  /// The formula is a difference of two points on a curve; the library keeps the earlier one, and here it is drawn again.
  private static func decorrelatedJitter(_ number: Int, _ draw: () -> Double) -> Double {
    func curve(_ attempt: Double) -> Double { pow(2, attempt) * tanh(sqrt(4 * attempt)) }
    let before = number == 1 ? 0 : curve(Double(number - 2) + draw())
    return max(0, curve(Double(number - 1) + draw()) - before) / 1.4
  }
}
