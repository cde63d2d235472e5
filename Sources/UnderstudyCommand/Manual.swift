/// What `--help` and the manual page say besides the declarations of commands and options.
enum Manual {
  static let about = """
    understudy stands in for five real backends on localhost: an installer's devices, a call log, a smart house, \
    jsonplaceholder's users, and room booking.
    """

  static let examples = [
    ("curl localhost:8080/devices", "the installer's four devices"),
    ("curl -d '{\"name\":\"Ljerka\"}' localhost:8080/book", "take a spot in a room"),
    ("curl -d '{\"name\":\"ci-1\"}' localhost:8080/_mock/sandboxes", "a sandbox for a test"),
    ("understudy plan --scenario lost-ack --method PATCH --path /devices/1", "which replies will be lost"),
    ("curl localhost:8080/openapi.yaml", "all operations"),
  ]

  /// One paragraph each.
  static let notes = [
    "Every API is at the path that its clients use. Booking's /rooms is at /@booking/rooms, for House has one too.",
    """
    A test gets a backend of its own from POST /_mock/sandboxes, and reaches it at /@its-name/devices.
    """,
    """
    With --state, what was acknowledged is on the disk: every sandbox with its data, snapshots, clock and idempotency \
    keys. Journals, counters and schedules begin anew at each start. --data is then for sandboxes that are yet to be \
    made; those in DIR keep theirs, the default one too. --scenario and --seed hold for the default sandbox when they \
    differ from the last start's; else it keeps what it was given since. A change that the disk does not take is \
    refused with 507.
    """,
    """
    Beyond loopback the control API asks for --admin-token. When that is random, a token is made, and told in the line \
    behind the one that says where the server listens.
    """,
    "--port and --port-file do not go with run, nor --seed with --sweep; the environment's variables mean nothing to it.",
  ]

  static let exitCodes = [
    ("0", "done; a server that was asked to stop by Ctrl-C or SIGTERM has drained"),
    ("1", "health: the server does not serve"),
    ("3", "report: a card fails, and no command of a run did"),
    ("64", "a bad option, data file, scenario or card"),
    ("65", "a state that is damaged or of another version"),
    ("69", "a port or a --state that another server has"),
    ("73", "a file or directory that cannot be written"),
  ]

  /// Those of `run`, whose first rule is that CMD's own code goes before.
  static let exitCodesOfRun = [
    ("N", "CMD's own code, when that is not 0"),
    ("3", "CMD exited with 0, and the report fails"),
    ("124", "--timeout ended CMD"),
    ("127", "there is no CMD"),
    ("128+N", "CMD died by signal N"),
    ("130, 143", "SIGINT or SIGTERM stopped a --sweep or --shrink, after the files were written"),
  ]

  /// The options in groups, each with its title.
  static let options = [
    ("OPTIONS", rows(Flag.serving) + [("--help, --version", "print this, or the version")]),
    ("OPTIONS OF RUN, BESIDES THOSE ABOVE", rows(Flag.running)),
    ("OPTIONS OF PLAN", rows(Flag.foretelling)),
    ("OPTIONS OF REPORT", rows(Flag.merging)),
    ("OPTIONS OF HEALTH", rows(Flag.probing)),
  ]

  static let commands = Command.all.map { ("understudy " + $0.usage, $0.about) }

  private static func rows(_ flags: [Flag]) -> [(String, String)] {
    flags.map { flag in
      (flag.name + (flag.value.map { " " + $0 } ?? ""), flag.help + (flag.variable.map { "; env \($0)" } ?? ""))
    }
  }
}
