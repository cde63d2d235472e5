/// The text of `understudy --help`.
enum Help {
  static let version = "0.1.0"

  static var text: String {
    let commands = [
      ("understudy [serve] [options]", "serve until Ctrl-C or SIGTERM"),
      ("understudy run [options] -- CMD …", "run CMD with UNDERSTUDY_URL set, then examine what it did"),
      ("understudy plan [options]", "foretell the fates of a route's requests, without serving"),
      ("understudy scenarios [NAME]", "list what can go wrong, or print one scenario"),
      ("understudy openapi", "print the OpenAPI 3.1 document"),
    ]
    return """
      understudy stands in for five real backends on localhost: an installer's devices, a call log,
      a smart house, jsonplaceholder's users, and room booking.

      \(section("USAGE", commands))

      \(section("OPTIONS", rows(Flag.serving) + [("--help, --version", "print this, or the version")]))

      \(section("OPTIONS OF RUN, BESIDES THOSE ABOVE", rows(Flag.running)))

      \(section("OPTIONS OF PLAN", rows(Flag.foretelling)))

      \(section("TRY IT", examples))

      Every API is at the path its brief names. Booking's /rooms is at /@booking/rooms, for House has
      one too.
      A test gets a backend of its own from POST /_mock/sandboxes, and reaches it at /@its-name/devices.
      With --state, what was acknowledged is on the disk: every sandbox with its data, snapshots,
      clock and idempotency keys. Journals, counters and schedules begin anew at each start. --data
      is then for sandboxes that are yet to be made; those in DIR keep theirs, the default one too.
      --scenario and --seed hold for the default sandbox when they differ from the last start's; else
      it keeps what it was given since. A change that the disk does not take is refused with 507.

      Exit codes: 0 after Ctrl-C or SIGTERM, 64 for a bad option, data file or scenario, 65 for a
      state that is damaged or of another version, 69 for a port or a --state that another server
      has, 73 for a file or directory that cannot be written.
      run exits with CMD's own code when that is not 0, else with 3 when the report fails: 124 when
      --timeout ended CMD, 127 when there is no CMD, 128+N when it died by signal N, and 130 or 143
      when SIGINT or SIGTERM stopped a --sweep or --shrink, after the files were written.
      --port, --port-file and the variables HOST and PORT mean nothing to run, nor --seed to --sweep.

      """
  }

  private static func rows(_ flags: [Flag]) -> [(String, String)] {
    flags.map { flag in
      (flag.name + (flag.value.map { " " + $0 } ?? ""), flag.help + (flag.variable.map { "; env \($0)" } ?? ""))
    }
  }

  private static let examples = [
    ("curl localhost:8080/devices", "the installer's four devices"),
    ("curl -d '{\"name\":\"Ljerka\"}' localhost:8080/book", "take a spot in a room"),
    ("curl -d '{\"name\":\"ci-1\"}' localhost:8080/_mock/sandboxes", "a backend of one's own"),
    ("understudy plan --scenario lost-ack --method PATCH", "which writes will lose their replies"),
    ("curl localhost:8080/openapi.yaml", "everything there is"),
  ]

  private static func section(_ title: String, _ rows: [(String, String)]) -> String {
    let width = rows.map { $0.0.count }.max() ?? 0
    let lines = rows.map { name, text in "  " + name + String(repeating: " ", count: width - name.count + 3) + text }
    return ([title] + lines).joined(separator: "\n")
  }

  /// A text in lines of at most 96 characters, indented.
  static func wrapped(_ text: String) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 95 { lines.append("") }
      lines[lines.count - 1] += " " + word
    }
    return lines.map { " " + $0 }.joined(separator: "\n")
  }
}
