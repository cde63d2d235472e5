import JSON
import Platform

/// The reason for which a file has no valid content, as a sentence that names the file and the position.
struct FileDefect: Error {
  let sentence: String
}

extension File {
  /// Reads a value from a file of JSON.
  static func value<Value>(
    in path: String, atMost maximumBytes: Int, _ parse: (JSONValue) throws(ValidationError) -> Value
  ) throws(FileDefect) -> Value {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try read(path, atMost: maximumBytes)
    } catch {
      throw FileDefect(sentence: "\(error)")
    }
    let document: JSONValue
    do throws(JSONFileError) {
      document = try JSONValue(file: bytes)
    } catch {
      let (line, column) = (error.position.line, error.position.column)
      throw FileDefect(sentence: "\(path): line \(line), column \(column): \(error.detail)")
    }
    do throws(ValidationError) {
      return try parse(document)
    } catch {
      throw FileDefect(sentence: "\(path): \(error.sentence(in: bytes))")
    }
  }
}
