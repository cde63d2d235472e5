import Foundation
import PackagePlugin

/// `swift package understudy …`: runs the program of the artifact bundle with the arguments as they are, and exits as it does.
@main struct UnderstudyPlugin: CommandPlugin {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = try context.tool(named: "understudy").url
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "understudy ended with \(process.terminationStatus)")
    }
  }
}
