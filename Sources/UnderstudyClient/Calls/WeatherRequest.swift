/// The time and the result of the last weather request. The service allows one request per minute, and a failed request
/// counts, too.
struct WeatherRequest: Sendable {
  static let interval = Duration.seconds(60)

  var requestedAt: Duration
  var report: CachedValue<WeatherReport>?

  func wait(at now: Duration) -> Duration? {
    let remaining = requestedAt + Self.interval - now
    return remaining > .zero ? remaining : nil
  }
}

extension ClientMemory {
  /// The action for a weather request now.
  enum WeatherAction {
    case send
    case use(CachedValue<WeatherReport>)
    case wait(Duration)
  }

  /// Decides and reserves the request in one step, so that two callers never both send one.
  func weatherAction(_ operation: String, at now: Duration) -> WeatherAction {
    if let request = weather[operation], let wait = request.wait(at: now) {
      guard var report = request.report else { return .wait(wait) }
      report.source = .cache
      return .use(report)
    }
    weather[operation] = WeatherRequest(requestedAt: now, report: weather[operation]?.report)
    return .send
  }

  func recordWeather(_ operation: String, _ report: CachedValue<WeatherReport>) {
    weather[operation]?.report = report
  }

  /// Sets the time of a request that was not sent to that of another client's request, which used this minute.
  func moveWeatherRequest(_ operation: String, back duration: Duration) { weather[operation]?.requestedAt -= duration }
}
