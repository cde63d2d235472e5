import Contract
import JSON

/// The valid documents from which states are made, one for each API of the catalogue.
struct SeedData: Sendable {
  private(set) var documents: [JSON]
  /// The number of the server's data from which it is derived; the data may be replaced several times.
  var number = 0

  /// An invalid data file or document: its name, the position of the error, and the expectation.
  struct Refusal: Error, CustomStringConvertible {
    let source: String
    let detail: String

    var description: String { "\(source): \(detail)" }
  }

  /// Returns the embedded data, parsed once for all servers of a process.
  static func embedded() throws(Refusal) -> SeedData { try builtIn.get() }

  private static let builtIn = Result { () throws(Refusal) in try readBuiltIn() }

  private static func readBuiltIn() throws(Refusal) -> SeedData {
    var documents: [JSON] = []
    for behaviour in Behaviours.all {
      documents.append(try Self.read(behaviour.seed, as: behaviour, from: "built-in \(behaviour.contract.name).json"))
    }
    return SeedData(documents: documents)
  }

  /// Returns the embedded data, with the APIs replaced that have a file.
  ///
  /// - Parameter files: The contents of `devices.json` and so on, by the API's name, each with its path for messages.
  static func replacing(files: [String: (path: String, bytes: [UInt8])]) throws(Refusal) -> SeedData {
    var data = try embedded()
    for (place, behaviour) in Behaviours.all.enumerated() {
      guard let file = files[behaviour.contract.name] else { continue }
      data.documents[place] = try read(file.bytes, as: behaviour, from: file.path)
    }
    return data
  }

  private static func read(
    _ bytes: [UInt8], as behaviour: any Behaviour.Type, from source: String
  ) throws(Refusal) -> JSON {
    do {
      let document = try JSON(parsing: bytes)
      try check(document, behaviour)
      return document
    } catch let error as JSONSyntaxError {
      let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
      throw Refusal(source: source, detail: "line \(line): \(error.detail)")
    } catch let violation as Violation {
      let place = violation.pointer == .root ? "the document" : violation.pointer.description
      throw Refusal(source: source, detail: "\(place): \(violation.detail)")
    } catch {
      throw Refusal(source: source, detail: "\(error)")
    }
  }

  /// Returns the first error in the data of an API.
  static func violation(in document: JSON, of api: String) -> Violation? {
    guard let behaviour = Behaviours.all.first(where: { $0.contract.name == api }) else { return nil }
    do throws(Violation) {
      try check(document, behaviour)
      return nil
    } catch {
      return error
    }
  }

  private static func check(_ document: JSON, _ behaviour: any Behaviour.Type) throws(Violation) {
    if let violation = behaviour.contract.data.violations(in: document).first { throw violation }
    if let violation = behaviour.flaw(in: document) { throw violation }
  }

  /// Returns this data after a merge patch (RFC 7396) whose members are APIs.
  func merging(_ patch: JSON) throws(Problem) -> SeedData {
    var merged = self
    for member in patch.object?.members ?? [] {
      let pointer = JSONPointer.root / member.name
      guard let place = Behaviours.all.firstIndex(where: { $0.contract.name == member.name }) else {
        let names = Behaviours.all.map { $0.contract.name }.joined(separator: ", ")
        throw .invalid([Violation(pointer, "unknown API; expected one of \(names)")])
      }
      let document = documents[place].merging(member.value)
      let violations = Behaviours.all[place].contract.data.boundedViolations(in: document, at: pointer)
      guard violations.isEmpty else { throw .invalid(violations) }
      if let violation = Behaviours.all[place].flaw(in: document) {
        throw .invalid([Violation(pointer / violation.pointer, violation.detail)])
      }
      merged.documents[place] = document
    }
    return merged
  }

  /// Returns the data of a state log; an API without data in it has the embedded data.
  static func kept(_ documents: [Int: JSON], number: Int) throws(Violation) -> SeedData {
    guard var data = try? embedded() else { preconditionFailure("the built-in data is valid") }
    for (place, document) in documents {
      do throws(Violation) {
        try check(document, Behaviours.all[place])
      } catch {
        throw Violation(.root / Behaviours.all[place].contract.name / error.pointer, error.detail)
      }
      data.documents[place] = document
    }
    data.number = number
    return data
  }

  init(documents: [JSON]) { self.documents = documents }
}

extension Behaviour {
  /// Returns the error in a document that its schema cannot express.
  fileprivate static func flaw(in document: JSON) -> Violation? {
    do {
      _ = try Self(data: document, at: Instant(seconds: 0))
      return nil
    } catch {
      return error
    }
  }
}
