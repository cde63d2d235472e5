import Foundation
import LiveTesting
import Testing
import Understudy

@testable import UnderstudyCommand

@Suite("What completes the command line", .live)
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

  @Test("bash completes options, whichever command they stand behind")
  func options() throws {
    #expect(try offered("--sce") == ["--scenario"])
    #expect(try offered("run", "--s") == ["--sweep", "--shrink", "--shrink-to", "--scenario", "--seed", "--state"])
    #expect(try offered("plan", "--j") == [])
    #expect(try offered("health", "--") == ["--host", "--port", "--help"])
  }

  @Test("bash completes the names of scenarios, and the values that can be listed")
  func values() throws {
    let names = MockServer.scenarios.map(\.name)
    #expect(try offered("--scenario", "") == names)
    #expect(try offered("--scenario", "=", "lo") == ["lost-ack"])
    #expect(try offered("scenarios", "ma") == ["mayhem"])
    #expect(try offered("run", "--fail-on", "") == ["fail", "warn", "never", "idle"])
    #expect(try offered("--port", "") == [])
  }

  @Test("bash completes commands as the first word, and does not complete the words after --")
  func commands() throws {
    #expect(try offered("sc") == ["scenarios", "scenario"])
    #expect(try offered("run", "--seed", "1", "s") == [])
    #expect(try offered("run", "--", "--sce") == [])
  }

  @Test("every shell completes every command and option", arguments: Shell.allCases)
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

  @Test("a shell that is not known is refused, and so is none")
  func refusals() {
    for words in [["completions"], ["completions", "tcsh"], ["completions", "bash", "zsh"]] {
      #expect(throws: UsageError.self) { try Arguments(words) }
    }
  }
}
