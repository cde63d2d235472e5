import Conformance
import Contract
import ControlAPI
import Foundation
import Platform

@main
enum ConformCommand {
  /// Exit codes, from sysexits(3) where it has one.
  private enum ExitCode {
    static let failed: Int32 = 1
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let cannotCreate: Int32 = 73
  }

  static func main() async {
    do throws(Arguments.UsageError) {
      switch try Arguments(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment) {
      case .help: print(Arguments.helpText, terminator: "")
      case .version: print("understudy-conform \(Document.version)")
      case .list(let only): list(only)
      case .judge(let settings): await judge(settings)
      }
    } catch {
      fail(error.message, ExitCode.usage)
    }
  }

  private static func list(_ only: [String]) {
    do throws(JudgeError) {
      for check in try ConformanceSuite.checks(only: only) {
        print("\(check.id)\n  \(check.sentence) (\(check.source))")
      }
    } catch {
      fail(error)
    }
  }

  private static func judge(_ settings: Arguments.Settings) async {
    do throws(JudgeError) {
      let verdict = try await ConformanceSuite.judge(
        settings.url, only: settings.only, patience: settings.patience, writes: settings.writes,
        adminToken: settings.adminToken)
      print(verdict.report(isLong: settings.isLong), terminator: "")
      if let file = settings.junit { write(verdict.junit, to: file) }
      // If all checks were skipped, nothing was shown; a build server must not take that for success.
      exit(verdict.failed.isEmpty && verdict.passed > 0 ? 0 : ExitCode.failed)
    } catch {
      fail(error)
    }
  }

  private static func write(_ text: String, to path: String) {
    do {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    } catch {
      fail("--junit \(path) cannot be written", ExitCode.cannotCreate)
    }
  }

  private static func fail(_ error: JudgeError) -> Never {
    switch error {
    case .usage(let detail): fail(detail, ExitCode.usage)
    case .cannotConnect(let detail): fail(detail, ExitCode.unavailable)
    }
  }

  private static func fail(_ message: String, _ code: Int32) -> Never {
    try? Descriptor.write(Array("understudy-conform: \(message)\n".utf8), to: 2, named: "standard error")
    exit(code)
  }
}
