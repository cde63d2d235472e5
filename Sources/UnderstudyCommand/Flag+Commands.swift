import Conformance
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
    backendURL("make rules for the backend at URL, instead of the five APIs"), semantics,
  ]

  /// The options of `check`.
  static let checking = [backendURL("check scenarios as run --upstream URL reads them"), semantics]
}

extension Flag {
  /// The options of `conform`.
  static let judging: [Flag] = [
    Flag(
      "--only", taking: "NAME,…", among: ConformanceSuite.groups + ["service", "ours"],
      "only an API (at URL alone), http, control, a check's id, or what the real service does (service)"
    ) { settings, value in settings.onlyChecks = value.split(separator: ",").map(String.init) },
    Flag("--junit", taking: "FILE", "also write the results as JUnit XML") { settings, value in
      settings.junitFile = value
    },
    Flag("--long", "also list the checks that passed") { settings, _ in settings.isLong = true },
    Flag("--writes", "without the control API, also run checks that change data permanently") { settings, _ in
      settings.allowsWrites = true
    },
    Flag("--patience", taking: "SECONDS", "the time limit of one check (10)") { settings, value throws(UsageError) in
      guard let seconds = Int(value), (1...600).contains(seconds) else {
        throw UsageError("--patience \(value): expected seconds, from 1 to 600")
      }
      settings.patience = .seconds(seconds)
    },
    Flag(
      "--admin-token", taking: "TOKEN", variable: "UNDERSTUDY_ADMIN_TOKEN",
      "the token of /_mock, sent only there"
    ) { settings, value in settings.options.adminToken = value },
    Flag("--list", "print the checks without running them") { settings, _ in settings.listsChecks = true },
  ]
}
