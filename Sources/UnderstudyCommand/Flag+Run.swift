import HTTP1
import Report
import Understudy

extension Flag {
  /// The options of `run`, in addition to those of `serve`.
  static let running: [Flag] = [
    report, junit, failOn, clients, fixedPort,
    Flag("--sweep", taking: "A...B", "one run for each seed from A to B") { settings, value throws(UsageError) in
      settings.sweep = try seeds(value)
    },
    Flag("--shrink", "reduce a failing scenario to the fewest rules that still fail, and print it") { settings, _ in
      settings.shrinks = true
    },
    Flag("--shrink-to", taking: "FILE", "shrink, and write the scenario into FILE instead") { settings, value in
      settings.shrinks = true
      settings.shrinkFile = value
    },
    timeout,
  ]

  static let clients = Flag(
    "--clients", taking: "one", among: ["one"], "all requests without Understudy-Client are one client's"
  ) { settings, value throws(UsageError) in
    guard value == "one" else { throw UsageError("--clients \(value): expected one") }
    settings.options.areUnnamedClientsOne = true
  }

  /// The port of a command that has it in its own settings; a free one unless given.
  static let fixedPort = Flag(
    "--port", taking: "N", "serve at this port, which CMD has in its own settings (a free one)"
  ) {
    settings, value throws(UsageError) in
    settings.options.port = try port(value, of: "--port")
  }

  static let timeout = Flag("--timeout", taking: "DURATION", "terminate the command after this time: 30s, 5m") {
    settings, value throws(UsageError) in
    guard let seconds = MockServer.seconds(value), seconds >= 1 else {
      throw UsageError("--timeout \(value): expected a duration of at least 1s, as in 30s or 5m")
    }
    settings.timeLimit = seconds
  }

  /// The options of `report`.
  static let merging: [Flag] = [
    Flag("--merge", "merge the report cards in the FILEs into one") { settings, _ in settings.merges = true },
    Flag("--from", taking: "URL", "get the report cards of a running server, or of the sandbox in the URL") {
      settings, value throws(UsageError) in
      settings.reportURL = try BaseURL(value, of: "--from")
    },
    Flag("--interim", "with --from: more requests may come; what is unfinished does not fail") { settings, _ in
      settings.isInterim = true
    },
    Flag(
      token.name, taking: token.value, variable: token.variable, "with --from: the token of the server's /_mock"
    ) { settings, value in settings.options.adminToken = value },
    report, junit, failOn,
  ]

  private static let report = report(writing: "the report cards")

  /// Returns the option of a file whose ending chooses its format.
  static func report(writing content: String) -> Flag {
    Flag(
      "--report", taking: "FILE",
      "write \(content), as the file's ending says: \(ReportCard.Format.expectation); - is standard output, as JSON"
    ) { settings, value throws(UsageError) in
      guard let format = ReportCard.Format(of: value) else {
        throw UsageError("--report \(value): expected a file that ends with \(ReportCard.Format.expectation)")
      }
      settings.report = (value, format)
    }
  }

  private static let junit = Flag(
    "--junit", taking: "FILE", "write JUnit XML: a suite for each command and each sandbox"
  ) { settings, value in settings.junitFile = value }

  private static let failOn = Flag(
    "--fail-on", taking: "VERDICT", among: ReportCard.Threshold.allCases.map(\.rawValue) + [RunCommand.idle],
    "what fails the run: fail, warn or never (fail); idle: no rule took effect"
  ) { settings, value throws(UsageError) in
    for word in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if word == RunCommand.idle {
        settings.failsOnIdle = true
      } else if let threshold = ReportCard.Threshold(rawValue: word) {
        settings.failOn = threshold
      } else {
        throw UsageError("--fail-on \(value): expected fail, warn, never or idle")
      }
    }
  }

  /// The options of `serve` that `run` supports, too.
  static let served = serving.filter { flag in
    foreignToRun[flag.name] == nil && !running.contains { $0.name == flag.name }
  }

  /// Options that `run` does not support, with the reasons.
  static let foreignToRun = [
    "--port-file": "CMD finds the port in UNDERSTUDY_PORT",
    "--method": "it belongs to plan", "--path": "it belongs to plan", "--count": "it belongs to plan",
  ]

  private static func seeds(_ text: String) throws(UsageError) -> ClosedRange<UInt64> {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4, parts[1].isEmpty, parts[2].isEmpty, let first = UInt64(parts[0]),
      let last = UInt64(parts[3]), first <= last, last <= MockServer.maximumSeed
    else { throw UsageError("--sweep \(text): expected two seeds, the smaller first, as in 1...100") }
    guard last - first < 100_000 else { throw UsageError("--sweep \(text): at most 100000 seeds at once") }
    return first...last
  }
}
