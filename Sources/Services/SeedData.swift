package import Contract
package import JSON

/// The valid documents from which states are made, one for each API of the catalogue.
package struct SeedData: Sendable {
  /// A document, and its state; nil if it depends on the time at which it is made, or has not been made.
  private struct Document {
    let value: JSONValue
    var state: (any Service)?
  }

  private var checked: [Document]
  /// The number of the server's data from which it is derived; the data may be replaced several times.
  package var number = 0

  /// An invalid data file or document: its name, the position of the error, and the expectation.
  package struct SeedDataError: Error, CustomStringConvertible {
    package let source: String
    package let detail: String

    package var description: String { "\(source): \(detail)" }
  }

  package var documents: [JSONValue] { checked.map(\.value) }

  /// Returns the state of each API. Sandboxes share the memory of the states that do not depend on the time.
  func states(at now: Instant) -> [any Service] {
    zip(ServiceCatalogue.all, checked).map { $1.state ?? $0.state(from: $1.value, at: now) }
  }

  /// Returns the embedded data, parsed once for all servers of a process.
  package static func embedded() throws(SeedDataError) -> SeedData { try builtIn.get() }

  private static let builtIn = Result { () throws(SeedDataError) in try readBuiltIn() }

  private static func readBuiltIn() throws(SeedDataError) -> SeedData {
    var checked: [Document] = []
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
  ) throws(SeedDataError) -> Document {
    do {
      return try check(JSONValue(file: bytes), service)
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
    guard let service = ServiceCatalogue.all.first(where: { $0.contract.name == api }) else { return nil }
    do throws(ValidationError) {
      _ = try check(document, service)
      return nil
    } catch {
      return error
    }
  }

  private static func check(
    _ document: JSONValue, _ service: any Service.Type
  ) throws(ValidationError) -> Document {
    if let violation = service.contract.data.violations(in: document).first { throw violation }
    return try checkedDocument(document, for: service)
  }

  /// Makes the state of a document that conforms to the schema. Throws the error that the schema cannot express.
  private static func checkedDocument(
    _ document: JSONValue, for service: any Service.Type
  ) throws(ValidationError) -> Document {
    let state: any Service = try service.init(data: document, at: Instant(seconds: 0))
    return Document(value: document, state: service.dependsOnTime(document) ? nil : state)
  }

  /// Returns this data after a merge patch (RFC 7396) whose members are APIs.
  package func merging(_ patch: JSONValue) throws(Problem) -> SeedData {
    var merged = self
    for member in patch.object?.members ?? [] {
      let pointer = JSONPointer.root / member.name
      guard let index = ServiceCatalogue.all.firstIndex(where: { $0.contract.name == member.name }) else {
        let names = ServiceCatalogue.all.map { $0.contract.name }.joined(separator: ", ")
        throw .invalid([ValidationError(pointer, "unknown API; expected one of \(names)")])
      }
      let document = checked[index].value.merging(member.value)
      let violations = ServiceCatalogue.all[index].contract.data.boundedViolations(in: document, at: pointer)
      guard violations.isEmpty else { throw .invalid(violations) }
      do throws(ValidationError) {
        merged.checked[index] = try Self.checkedDocument(document, for: ServiceCatalogue.all[index])
      } catch {
        throw .invalid([ValidationError(pointer / error.pointer, error.detail)])
      }
    }
    return merged
  }

  /// Returns the data of a state log; an API without data in it has the embedded data.
  package static func persisted(_ documents: [Int: JSONValue], number: Int) throws(ValidationError) -> SeedData {
    guard var data = try? embedded() else { preconditionFailure("the built-in data is valid") }
    for (index, document) in documents {
      do throws(ValidationError) {
        data.checked[index] = try check(document, ServiceCatalogue.all[index])
      } catch {
        throw ValidationError(.root / ServiceCatalogue.all[index].contract.name / error.pointer, error.detail)
      }
    }
    data.number = number
    return data
  }

  private init(checked: [Document]) { self.checked = checked }

  /// Makes data of valid documents.
  package init(documents: [JSONValue]) { checked = documents.map { Document(value: $0, state: nil) } }
}

extension Service {
  /// Returns the state made from valid data.
  fileprivate static func state(from document: JSONValue, at now: Instant) -> any Service {
    do {
      return try Self(data: document, at: now)
    } catch {
      preconditionFailure("data is checked before a state is made of it, yet \(error.pointer): \(error.detail)")
    }
  }
}
