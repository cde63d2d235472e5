package import Contract
package import JSON

/// The valid data from which states are made, one value for each API of the catalogue.
package struct SeedData: Sendable {
  /// An API's data, and the state made of it. Sandboxes share the memory of a state that does not depend on the time.
  private struct Checked {
    let data: JSONValue
    let state: Document

    init(_ data: JSONValue, _ service: any Service.Type) throws(ValidationError) {
      if let violation = service.contract.data.violations(in: data).first { throw violation }
      try self.init(conforming: data, service)
    }

    /// - Parameter data: Data that conforms to the schema.
    init(conforming data: JSONValue, _ service: any Service.Type) throws(ValidationError) {
      self.data = data
      state = try Document(data, of: service)
    }

    func state(at now: Instant) -> Document {
      let dated = state.service.data(data, at: now)
      guard dated != data else { return state }
      do throws(ValidationError) {
        return try Document(dated, of: state.service)
      } catch {
        preconditionFailure("the time of a state changes no names, yet \(error.pointer): \(error.detail)")
      }
    }
  }

  private var checked: [Checked]
  /// The number of times that the server's data were replaced; data derived from them have the same.
  package var number = 0

  /// An invalid data file or document: its name, the position of the error, and the expectation.
  package struct SeedDataError: Error, CustomStringConvertible {
    package let source: String
    package let detail: String

    package var description: String { "\(source): \(detail)" }
  }

  package var documents: [JSONValue] { checked.map(\.data) }

  /// Returns the state of each API.
  func states(at now: Instant) -> [Document] { checked.map { $0.state(at: now) } }

  /// Returns the embedded data, parsed once for all servers of a process.
  package static func embedded() throws(SeedDataError) -> SeedData { try builtIn.get() }

  private static let builtIn = Result { () throws(SeedDataError) in try readBuiltIn() }

  private static func readBuiltIn() throws(SeedDataError) -> SeedData {
    var checked: [Checked] = []
    for service in ServiceCatalogue.all {
      checked.append(
        try Self.read(Array(service.seed.utf8), as: service, from: "built-in \(service.contract.name).json"))
    }
    return SeedData(checked: checked)
  }

  /// Returns the embedded data, with the APIs replaced that have a file.
  ///
  /// - Parameter files: The contents of `devices.json` and so on, by the API's name, each with its path for messages.
  package static func replacing(files: [String: (path: String, bytes: [UInt8])]) throws(SeedDataError) -> SeedData {
    var data = try embedded()
    for (index, service) in ServiceCatalogue.all.enumerated() {
      guard let file = files[service.contract.name] else { continue }
      data.checked[index] = try read(file.bytes, as: service, from: file.path)
    }
    return data
  }

  private static func read(
    _ bytes: [UInt8], as service: any Service.Type, from source: String
  ) throws(SeedDataError) -> Checked {
    do {
      return try Checked(JSONValue(file: bytes), service)
    } catch let error as JSONFileError {
      throw SeedDataError(source: source, detail: "line \(error.position.line): \(error.detail)")
    } catch let violation as ValidationError {
      throw SeedDataError(source: source, detail: violation.sentence(in: bytes))
    } catch {
      throw SeedDataError(source: source, detail: "\(error)")
    }
  }

  /// Returns the first error in the data of an API.
  package static func violation(in document: JSONValue, of api: String) -> ValidationError? {
    guard let index = ServiceCatalogue.firstIndex(of: api) else { return nil }
    do throws(ValidationError) {
      _ = try Checked(document, ServiceCatalogue.all[index])
      return nil
    } catch {
      return error
    }
  }

  /// Returns this data after a merge patch (RFC 7396) whose members are APIs.
  package func merging(_ patch: JSONValue) throws(Problem) -> SeedData {
    var merged = self
    try ServiceCatalogue.merge(patch, into: { checked[$0].data }) { index, document throws(ValidationError) in
      merged.checked[index] = try Checked(conforming: document, ServiceCatalogue.all[index])
    }
    return merged
  }

  private init(checked: [Checked]) { self.checked = checked }
}
