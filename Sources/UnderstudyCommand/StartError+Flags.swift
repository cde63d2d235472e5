import Understudy

extension StartError {
  /// The sentence with flags instead of the names of options at its beginning and end.
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
