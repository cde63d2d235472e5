/// The text of `understudy --help`.
enum Help {
  static let version = "0.1.0"

  static var text: String {
    let commands = [
      ("understudy [serve] [options]", "serve until Ctrl-C or SIGTERM"),
      ("understudy openapi", "print the OpenAPI 3.1 document"),
    ]
    let options = Flag.serving.map { flag in
      (flag.name + (flag.value.map { " " + $0 } ?? ""), flag.help + (flag.variable.map { "; env \($0)" } ?? ""))
    }
    return """
      understudy stands in for five real backends on localhost: an installer's devices, a call log,
      a smart house, jsonplaceholder's users, and room booking.

      \(section("USAGE", commands))

      \(section("OPTIONS", options + [("--help, --version", "print this, or the version")]))

      \(section("TRY IT", examples))

      Every API is at the path its brief names. Booking's /rooms is at /@booking/rooms, for House has
      one too.
      A test gets a backend of its own from POST /_mock/sandboxes, and reaches it at /@its-name/devices.
      Exit codes: 0 after Ctrl-C or SIGTERM, 64 for a bad option or data file, 69 for a port in use.

      """
  }

  private static let examples = [
    ("curl localhost:8080/devices", "the installer's four devices"),
    ("curl -d '{\"name\":\"Ljerka\"}' localhost:8080/book", "take a spot in a room"),
    ("curl -d '{\"name\":\"ci-1\"}' localhost:8080/_mock/sandboxes", "a backend of one's own"),
    ("curl localhost:8080/openapi.yaml", "everything there is"),
  ]

  private static func section(_ title: String, _ rows: [(String, String)]) -> String {
    let width = rows.map { $0.0.count }.max() ?? 0
    let lines = rows.map { name, text in "  " + name + String(repeating: " ", count: width - name.count + 3) + text }
    return ([title] + lines).joined(separator: "\n")
  }
}
