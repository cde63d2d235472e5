/// When the weather was last asked for, and what the answer was: nobody may ask more than once a minute, and a question
/// that failed was a question too.
struct WeatherQuestion: Sendable {
  static let interval = Duration.seconds(60)

  var askedAt: Duration
  var answer: Fetched<WeatherReport>?

  func wait(at now: Duration) -> Duration? {
    let rest = askedAt + Self.interval - now
    return rest > .zero ? rest : nil
  }
}

extension ClientMemory {
  /// What to do about a question for the weather now.
  enum WeatherTurn {
    case ask
    case use(Fetched<WeatherReport>)
    case wait(Duration)
  }

  /// Decides and takes the turn in one step, so that two callers never both ask.
  func weatherTurn(_ operation: String, at now: Duration) -> WeatherTurn {
    if let question = weather[operation], let wait = question.wait(at: now) {
      guard var answer = question.answer else { return .wait(wait) }
      answer.source = .cache
      return .use(answer)
    }
    weather[operation] = WeatherQuestion(askedAt: now, answer: weather[operation]?.answer)
    return .ask
  }

  func weatherAnswered(_ operation: String, _ answer: Fetched<WeatherReport>) {
    weather[operation]?.answer = answer
  }

  /// Takes over when an earlier run of the app last asked.
  func weatherWasAsked(_ operation: String, at moment: Duration) {
    if weather[operation] == nil { weather[operation] = WeatherQuestion(askedAt: moment) }
  }
}
