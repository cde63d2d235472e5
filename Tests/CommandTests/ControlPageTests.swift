import Foundation
import LiveTesting
import Testing

/// Runs the commands of the page about the control API, as a reader runs them.
@Suite("The page about the control API", .enabled(if: ReadmeTests.hasCurl, "curl is not installed"), .live)
struct ControlPageTests {
  /// A section of the page about an operation.
  private struct Section {
    let name: Substring
    /// The blocks of shell commands.
    let commands: [Substring]
    /// The statuses in its table.
    let statuses: [Substring]

    init(_ text: String) {
      let lines = text.split(separator: "\n")
      name = lines[0]
      commands = text.components(separatedBy: "```sh\n").dropFirst().compactMap { $0.split(separator: "```").first }
      statuses = lines.compactMap { $0.firstMatch(of: /^\| ([1-5][0-9][0-9]) \|/)?.1 }
    }
  }

  private static func sections() throws -> [Section] {
    let page = try String(contentsOf: Repository.page("ControlAPI"), encoding: .utf8)
    return page.components(separatedBy: "\n## ").dropFirst().filter { !$0.hasPrefix("Overview") }.map(Section.init)
  }

  /// Prints the status of each response on standard error. A stream's status arrives before its time is up.
  private static let curl = """
    curl() {
      case "$*" in -N*) limit=1 ;; *) limit=60 ;; esac
      command curl -s -m $limit -w '%{stderr}%{http_code}\\n' "$@"
    }

    """

  @Test("has commands that succeed in their order on one server, with a status of their section")
  func succeeds() throws {
    let server = try Program("--port", "0")
    let url = try server.line().replacing("listening on ", with: "")
    let scratch = try ScratchDirectory()
    let sections = try Self.sections()
    #expect(sections.count > 30)
    for section in sections {
      #expect(!section.commands.isEmpty, "\(section.name)")
      for command in section.commands {
        let script = Self.curl + command.replacing("http://localhost:8080", with: url)
        let status = try ChildProcess.run(
          .shell, ["-c", script], environment: ["PATH": "/usr/bin:/bin"], directory: URL(filePath: scratch.path)
        ).errors.dropLast()
        #expect(status.hasPrefix("2") && section.statuses.contains(status), "\(status): \(command)")
      }
    }
    let picture = try Data(contentsOf: URL(filePath: scratch.path).appending(path: "Ljerka.png"))
    #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]), "a terminal shows no picture")
    server.terminate()
    #expect(try server.result().status == 0)
  }
}
