extension Flag {
  /// The options of `scenario`.
  static let recording: [Flag] = [
    Flag("--from", taking: "FILE", "a HAR file, or a journal as JSON or JSON Lines") { settings, value in
      settings.traceFile = value
    },
    Flag("--exact", "plan each request as it was recorded, by its ordinal") { settings, _ in settings.isExact = true },
  ]
}
