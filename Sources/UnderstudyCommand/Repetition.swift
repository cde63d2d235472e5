/// The line that repeats a run: it can be pasted into a shell.
struct Repetition {
  let settings: Settings

  /// What chooses the seed anew, or is about the whole and not about one run.
  private static let left = ["--seed", "--sweep", "--shrink", "--shrink-to", "--report", "--junit"]

  /// - Parameter seed: The seed of the run that is to be repeated.
  func line(seed: UInt64) -> String {
    let options = settings.spelled.filter { !Self.left.contains($0.name) }.flatMap { name, value in
      value.map { [name, $0] } ?? [name]
    }
    let words = [CommandLine.arguments[0], "run"] + options + ["--seed", "\(seed)", "--"] + settings.command
    return words.map(Self.quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) }
    return isPlain ? word : Shell.quoted(word)
  }

  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,".utf8)
}
