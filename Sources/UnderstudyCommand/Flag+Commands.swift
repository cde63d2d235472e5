import Understudy

extension Flag {
  /// The options of `health`, which reads the same variables as the server.
  static let probing: [Flag] = [
    Flag("--host", taking: "HOST", variable: "UNDERSTUDY_HOST", "the server's host name or address (127.0.0.1)") {
      settings, value in
      settings.options.host = value
    },
    Flag("--port", taking: "N", variable: "PORT", "the server's port (8080)") { settings, value throws(UsageError) in
      settings.options.port = try port(value, of: "--port")
      guard settings.options.port > 0 else { throw UsageError("--port 0: expected the port of the server") }
    },
  ]
}

extension Flag {
  /// The options of `scenario`.
  static let recording: [Flag] = [
    Flag("--from", taking: "FILE", "a HAR file, or a journal as JSON or JSON Lines") { settings, value in
      settings.traceFile = value
    },
    Flag("--exact", "plan each request as it was recorded, by its ordinal") { settings, _ in settings.isExact = true },
  ]
}
