/// The time and the result of the last weather request. The service allows one request per minute, and a failed request
/// counts, too.
struct WeatherQuestion: Sendable {
  static let interval = Duration.seconds(60)

  var askedAt: Duration
  var answer: CachedValue<WeatherReport>?

  func wait(at now: Duration) -> Duration? {
    let rest = askedAt + Self.interval - now
    return rest > .zero ? rest : nil
  }
}

extension ClientMemory {
  /// The action for a weather request now.
  enum WeatherTurn {
    case ask
    case use(CachedValue<WeatherReport>)
    case wait(Duration)
  }

  /// Decides and reserves the request in one step, so that two callers never both send one.
  func weatherTurn(_ operation: String, at now: Duration) -> WeatherTurn {
    if let question = weather[operation], let wait = question.wait(at: now) {
      guard var answer = question.answer else { return .wait(wait) }
      answer.source = .cache
      return .use(answer)
    }
    weather[operation] = WeatherQuestion(askedAt: now, answer: weather[operation]?.answer)
    return .ask
  }

  func weatherAnswered(_ operation: String, _ answer: CachedValue<WeatherReport>) {
    weather[operation]?.answer = answer
  }

  /// Sets the time of the last request from an earlier run of the app.
  func weatherWasAsked(_ operation: String, at moment: Duration) {
    if weather[operation] == nil { weather[operation] = WeatherQuestion(askedAt: moment) }
  }
}
