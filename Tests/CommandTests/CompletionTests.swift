import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("Shell completion", .live)
struct CompletionTests {
  private static let bash = URL(filePath: "/bin/bash")

  /// Returns bash's completions of the last of these words, with the program's script.
  private func offered(_ words: String...) throws -> [String] {
    let script = """
      eval "$("$0" completions bash)"
      COMP_WORDS=(understudy "$@")
      COMP_CWORD=$#
      _understudy
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let arguments = ["-c", script, try Program.location().path] + words
    return try ChildProcess.run(Self.bash, arguments).output.split(separator: "\n").map(String.init)
  }

  @Test("in bash offers the options of each command")
  func options() throws {
    #expect(try offered("--sce") == ["--scenario"])
    let offeredToRun = ["--sweep", "--shrink", "--shrink-to", "--scenario", "--seed", "--state", "--semantics"]
    #expect(try offered("run", "--s") == offeredToRun)
    #expect(try offered("plan", "--j") == [])
    #expect(try offered("health", "--") == ["--host", "--port", "--help"])
  }

  @Test("in bash offers the names of scenarios and the values of enumerated options")
  func values() throws {
    let names = MockServer.scenarios.map(\.name)
    #expect(try offered("--scenario", "") == names)
    #expect(try offered("--scenario", "=", "lo") == ["lost-ack"])
    #expect(try offered("scenarios", "ma") == ["mayhem"])
    #expect(try offered("run", "--fail-on", "") == ["fail", "warn", "never", "idle"])
    #expect(try offered("explore", "--fail-on", "") == ["fail", "command", "warn", "never"])
    #expect(try offered("conform", "--only", "htt") == ["http"])
    #expect(try offered("run", "--only", "htt") == [])
    #expect(try offered("--port", "") == [])
  }

  @Test("in bash offers commands only as the first word, and nothing after --")
  func commands() throws {
    #expect(try offered("sc") == ["scenarios", "scenario", "schema"])
    #expect(try offered("run", "--seed", "1", "s") == [])
    #expect(try offered("run", "--", "--sce") == [])
  }

  @Test("in bash leaves operands that are files to bash, and offers the options of their commands after a hyphen")
  func files() throws {
    #expect(try offered("check", "") == [])
    #expect(try offered("report", "card") == [])
    #expect(try offered("report", "--f") == ["--from", "--fail-on"])
  }

  @Test("in bash offers files for a value that is a file, and none for another one")
  func filesAsValues() {
    let lines = Shell.bash.completions.split(separator: "\n")
    let files = lines.first { $0.contains("'scenario --from'") }
    #expect(files?.hasSuffix("return ;;") == true && files?.contains("'report --from'") == false)
    #expect(lines.contains { $0.contains("*' --from'") && $0.contains("compopt +o default") })
  }

  @Test("has every command, option and scenario in every shell", arguments: Shell.allCases)
  func isComplete(shell: Shell) {
    let script = shell.completions
    for command in Command.all {
      #expect(script.contains(command.name))
      for flag in command.flags {
        #expect(script.contains(shell == .fish ? "-l \(flag.name.dropFirst(2)) " : flag.name), "\(flag.name)")
      }
    }
    for scenario in MockServer.scenarios { #expect(script.contains(scenario.name)) }
  }

  @Test("is refused for an unknown or missing shell")
  func refusals() {
    for words in [["completions"], ["completions", "tcsh"], ["completions", "bash", "zsh"]] {
      #expect(throws: UsageError.self) { try Arguments(words) }
    }
  }
}
