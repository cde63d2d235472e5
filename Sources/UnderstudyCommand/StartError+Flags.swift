import Understudy

extension StartError {
  /// The sentence with the flag in place of the option's name with which it begins.
  var sentenceNamingFlags: String {
    let name = description.prefix { $0 != " " }
    return Self.flags[String(name)].map { $0 + description.dropFirst(name.count) } ?? description
  }

  private static let flags = [
    "adminToken": "--admin-token", "dataDirectory": "--data", "host": "--host", "method": "--method", "path": "--path",
    "scenario": "--scenario", "seed": "--seed", "stateDirectory": "--state",
  ]
}
