package import Contract

extension Schema {
  private static let count = Schema.integer(atLeast: 0)
  private static let index = Schema.integer(atLeast: 0)
  private static let marks = ["survived", "failed", "command", "warned", "hung", "crashed", "unmet", "unrun"]

  /// The file of `explore --report`.
  package static let exploration = Schema.object([
    Property("command", .array(of: .string()).described("The program and its arguments.")),
    Property("upstream", .string().orNull.described("The URL of the backend; null for the five APIs.")),
    Property(
      "calm",
      .object([Property("seconds", .number()), Property("requests", count)])
        .described("The first of the two runs without faults.")),
    Property("rows", .array(of: row)),
    Property("ways", .array(of: .string(minimumLength: 1)).described("The ways to fail, as `--faults` takes them.")),
    Property("cells", .array(of: cell)),
    Property("mistakes", .array(of: mistake)),
    Property("remarks", .array(of: .string()).described("The requests that are no rows, as sentences.")),
    Property(
      "mended", .array(of: .string()).described("The failing cells of `--known` that were survived, by their names.")),
    Property(
      "counts",
      .object(
        [
          Property("runs", count.described("The number of cells that were run.")),
          Property("known", count.described("The number of failing cells that `--known` has.")),
        ] + marks.map { Property($0, count) }
      ).described("The numbers of cells, by their marks.")),
  ])

  private static let row = Schema.object([
    Property("name", .string(minimumLength: 1)),
    Property("api", .string().orNull.described("Null for a path that no API has, and for a backend.")),
    Property("sandbox", .string().orNull.described("Null for any.")),
    Property("method", .string(minimumLength: 1)),
    Property("path", .string(minimumLength: 1).described("The path, or its pattern if each run makes it anew.")),
    Property("operation", .string().orNull.described("The name that `--semantics` gives it; null if it gives none.")),
    Property("n", .integer(atLeast: 1)),
    Property("per", .string(choices: ["path", "rule"]).described("The requests that `n` counts.")),
    Property("overlaps", .boolean.described("True if another request with its path was under way at the same time.")),
  ]).named("ExploredRow")

  private static let cell = Schema.object([
    Property("name", .string(minimumLength: 1).described("The name that `--cell` takes.")),
    Property("row", index.described("The index of its row.")),
    Property("way", .string(minimumLength: 1)),
    Property("twice", .boolean.described("True if the next request of its row failed, too.")),
    Property("mark", .string(choices: marks)),
    Property("known", .boolean),
    Property("checks", .array(of: .string()).described("The checks that show it.")),
    Property("exit", .integer().orNull.described("The exit code of the command; null if it was not run.")),
    Property("seconds", .number().orNull),
    Property("repeat", .string(minimumLength: 1).described("The shell line that repeats it.")),
    .optional("output", .array(of: .string()).described("The last lines of the output, unless it was survived.")),
  ]).named("ExploredCell")

  private static let mistake = Schema.object([
    Property("check", .string(minimumLength: 1)),
    Property("verdict", .string(choices: ["warn", "fail"])),
    Property("sentence", .string(minimumLength: 1)),
    Property("cells", .array(of: index).described("The indices of its cells.")),
    Property("shown", index.described("The index of the cell that shows it.")),
    Property("requests", .array(of: .string()).described("The requests that prove it in that cell.")),
  ]).named("ExploredMistake")
}
