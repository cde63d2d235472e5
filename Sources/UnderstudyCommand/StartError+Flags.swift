import Understudy

extension StartError {
  /// The description, with the name of an option at its beginning or end replaced by the flag.
  var sentenceNamingFlags: String {
    var words = description.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in [0, words.count - 1] { words[index] = Self.flags[words[index]] ?? words[index] }
    return words.joined(separator: " ")
  }

  private static let flags = [
    "adminToken": "--admin-token", "dataDirectory": "--data", "host": "--host", "method": "--method", "path": "--path",
    "scenario": "--scenario", "seed": "--seed", "stateDirectory": "--state",
  ]
}
