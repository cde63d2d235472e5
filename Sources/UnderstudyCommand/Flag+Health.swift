import Understudy

extension Flag {
  /// The options of `health`, which finds the server by the same variables that told it where to listen.
  static let probing: [Flag] = [
    Flag("--host", taking: "HOST", variable: "HOST", "ask at this name or address (127.0.0.1)") { settings, value in
      settings.options.host = value
    },
    Flag("--port", taking: "N", variable: "PORT", "ask at this port (8080)") { settings, value throws(UsageError) in
      settings.options.port = try port(value, of: "--port")
      guard settings.options.port > 0 else { throw UsageError("--port 0: expected the port that the server took") }
    },
  ]
}
