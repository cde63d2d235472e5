import Understudy

extension StartError {
  /// Returns the description, with the name of an option at its beginning or end replaced by the flag, or by the
  /// environment variable from which its value is.
  func sentence(naming settings: Settings) -> String {
    var words = description.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in [0, words.count - 1] { words[index] = Self.flags[words[index]] ?? words[index] }
    if let variable = settings.variables[words[0]] { words[0] = "the environment variable \(variable):" }
    let sentence = words.joined(separator: " ")
    switch self {
    case .portInUse, .system:
      let variables = ["--host", "--port"].compactMap { settings.variables[$0] }
      guard !variables.isEmpty else { return sentence }
      return sentence + " (the environment sets \(variables.joined(separator: " and ")))"
    default: return sentence
    }
  }

  private static let flags = [
    "adminToken": "--admin-token", "dataDirectory": "--data", "host": "--host", "method": "--method", "path": "--path",
    "scenario": "--scenario", "seed": "--seed", "stateDirectory": "--state", "apiPorts": "--api-ports",
    "upstream": "--upstream", "upstreamHost": "--upstream-host", "allowedHosts": "--allow-host",
    "semanticsFile": "--semantics", "controlPort": "--control-port", "controlOrigin": "--control-origin",
    "upstreamTimeout": "--upstream-timeout", "maximumBody": "--maximum-body",
  ]
}
