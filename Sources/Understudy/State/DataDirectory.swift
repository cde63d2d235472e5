import Contract
import Platform
import Services

/// The data files that replace the embedded ones, and their fingerprints when they were read.
struct DataDirectory: Sendable {
  let path: String?
  private(set) var seeds: SeedData
  private var fingerprints: [String: File.Fingerprint]

  /// The maximum number of bytes of one file.
  static let maximumBytes = 16 << 20

  /// Reads the directory's files; an API without a file keeps the embedded data.
  static func load(_ path: String?) throws(StartError) -> DataDirectory {
    do {
      guard let path else { return DataDirectory(path: nil, seeds: try .embedded(), fingerprints: [:]) }
      guard File.isDirectory(path) else {
        throw StartError.badData("dataDirectory \(path): there is no such directory")
      }
      let fingerprints = fingerprints(in: path)
      guard !fingerprints.isEmpty else {
        let names = API.all.map { $0.name + ".json" }.joined(separator: ", ")
        throw StartError.badData("dataDirectory \(path): expected at least one of \(names)")
      }
      return DataDirectory(path: path, seeds: try read(path, fingerprints), fingerprints: fingerprints)
    } catch let error as StartError {
      throw error
    } catch {
      throw .badData("\(error)")
    }
  }

  /// Reads the files again if one of them has changed; returns nil if none has.
  ///
  /// An invalid file is reported once, and the earlier data stays.
  mutating func reload() throws(StartError) -> SeedData? {
    guard let path else { return nil }
    let current = Self.fingerprints(in: path)
    guard current != fingerprints else { return nil }
    fingerprints = current
    // Some editors delete a file before they write it again; the embedded data is not intended then.
    guard !current.isEmpty else { throw .badData("\(path): the last data file was removed") }
    do {
      seeds = try Self.read(path, current)
      return seeds
    } catch let error as StartError {
      throw error
    } catch {
      throw .badData("\(error)")
    }
  }

  private static func fingerprints(in path: String) -> [String: File.Fingerprint] {
    var found: [String: File.Fingerprint] = [:]
    for api in API.all { found[api.name] = File.fingerprint(file(api.name, in: path)) }
    return found
  }

  private static func read(_ path: String, _ found: [String: File.Fingerprint]) throws -> SeedData {
    var files: [String: (path: String, bytes: [UInt8])] = [:]
    for (name, fingerprint) in found {
      let path = file(name, in: path)
      guard fingerprint.isRegular else { throw StartError.badData("\(path): it is not a regular file") }
      guard fingerprint.size <= maximumBytes else {
        throw StartError.badData("\(path): it has \(fingerprint.size) bytes; the maximum is \(maximumBytes)")
      }
      files[name] = (path, try File.read(path, atMost: maximumBytes, takingPipes: false))
    }
    return try .replacing(files: files)
  }

  private static func file(_ name: String, in path: String) -> String { path + "/" + name + ".json" }
}
