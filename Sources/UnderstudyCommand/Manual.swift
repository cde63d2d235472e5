import Exploration

/// The texts of `--help` and the manual page, in addition to the declarations of commands and options.
enum Manual {
  static let about = """
    understudy plays a backend whose network fails on purpose, the same way every time, and tells you what your client \
    did wrong. It stands in front of any HTTP backend (--upstream), or in for five real ones on localhost: an \
    installer's devices, a call log, a smart house, jsonplaceholder's users, and room booking.
    """

  static let examples = [
    ("curl localhost:8080/devices", "the installer's devices"),
    ("curl -d '{\"name\":\"Ljerka\"}' localhost:8080/book", "book a spot in a room"),
    ("curl -d '{\"name\":\"ci-1\"}' localhost:8080/_mock/sandboxes", "a sandbox for a test"),
    ("understudy plan --scenario mayhem --path /devices", "what the next requests will meet"),
    ("curl localhost:8080/openapi.yaml", "all operations"),
  ]

  /// The notes, one paragraph each.
  static let notes = [
    "Every API is at the path that its clients use. Booking's /rooms is at /@booking/rooms, because House has a "
      + "/rooms, too.",
    """
    A test makes its own backend with POST /_mock/sandboxes, and uses it at /@its-name/devices.
    """,
    """
    The report card tells clients apart by the field Understudy-Client, else by address and User-Agent. Let each client \
    send its own name, or run with --clients one; without either, what two clients might have done is only a warning.
    """,
    """
    With --state, every acknowledged change is on the disk: all sandboxes with their data, snapshots, clocks and \
    idempotency keys. Journals, counters and schedules restart at each start. --data then applies only to new \
    sandboxes; those in DIR keep their data, including the default one. --scenario and --seed apply to the default \
    sandbox only if they differ from the last start; otherwise it keeps its scenario and seed. A change that the disk \
    cannot store is refused with 507.
    """,
    """
    Outside loopback the control API requires --admin-token. With the value random, the server generates a token and \
    prints it in the line after its address.
    """,
    "run does not support --port-file, ignores environment variables, and takes either --seed or --sweep.",
  ]

  static let exitCodes = [
    ("0", "success; a server that Ctrl-C or SIGTERM stopped has sent all responses"),
    ("1", "health: the server is not healthy; conform: a check failed, or all were skipped"),
    ("3", "report: a check or a run failed, or --from found no request; a command's own code goes first"),
    ("64", "an invalid option, data file, scenario or card"),
    ("65", "the stored state is damaged, or of another version"),
    ("69", "the port or the --state directory is in use; report, conform: no server answers as expected"),
    ("73", "a file or directory cannot be created"),
    ("74", "output could not be written"),
  ]

  /// The exit codes of `run`; the exit code of CMD takes precedence.
  static let exitCodesOfRun = [
    ("N", "CMD's own code, if it is not 0"),
    ("3", "CMD exited with 0, but a check failed, or the run tested nothing (see --fail-on)"),
    ("74", "CMD exited with 0, and output could not be written"),
    ("124", "--timeout ended CMD"),
    ("126", "CMD cannot be executed"),
    ("127", "CMD does not exist"),
    ("128+N", "signal N terminated CMD"),
    ("130, 143", "SIGINT or SIGTERM stopped a --sweep or --shrink, after the files were written"),
  ]

  /// The exit codes of `explore`.
  static let exitCodesOfExplore = [
    ("0", "no cell failed"),
    ("N", "CMD's own code, if it fails without a fault"),
    ("3", "a cell failed, hung or crashed (see --fail-on), or there is nothing to explore, or the calm card fails"),
    ("69", "the command of --reset failed, or a server could not start; what is known is printed"),
    ("74", "output could not be written"),
    ("128+N", "signal N stopped it; what is known is printed"),
  ]

  /// The ways in which `explore` lets requests fail.
  static let ways = FaultWay.standard.map { ($0.text, $0.words) }

  /// Returns the exit codes that a command has of its own.
  static func exitCodes(of command: Command) -> [(String, String)] {
    switch command.name {
    case Command.run.name: exitCodesOfRun
    case Command.explore.name: exitCodesOfExplore
    default: []
    }
  }

  /// The options in groups, each with its title.
  static let options = [
    ("OPTIONS", rows(Flag.serving) + [("--help, --version", "print this, or the version")]),
    ("OPTIONS OF RUN, BESIDES THOSE ABOVE", rows(Flag.running)),
    ("OPTIONS OF EXPLORE", rows(Flag.exploring)),
    ("OPTIONS OF PLAN", rows(Flag.preview)),
    ("OPTIONS OF SCENARIO", rows(Flag.recording)),
    ("OPTIONS OF CHECK", rows(Flag.checking)),
    ("OPTIONS OF REPORT", rows(Flag.merging)),
    ("OPTIONS OF HEALTH", rows(Flag.probing)),
    ("OPTIONS OF CONFORM", rows(Flag.judging)),
  ]

  static let commands = Command.all.map { ("understudy " + $0.usage, $0.about) }

  static func rows(_ flags: [Flag]) -> [(String, String)] {
    flags.map { flag in
      (flag.name + (flag.value.map { " " + $0 } ?? ""), flag.help + (flag.variable.map { "; env \($0)" } ?? ""))
    }
  }
}
