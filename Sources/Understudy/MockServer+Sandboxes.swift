import Contract
import Faults
import JSON
import Report
import Services

extension MockServer {
  /// An isolated backend, for example for one test, with its own data, faults, clock and journal.
  public struct Sandbox: Sendable {
    /// The name, as in the path `/@name`. The server never generates the same name twice, even after a restart with the same
    /// state.
    public let name: String
    /// The base URL of all APIs: `http://127.0.0.1:8080/@sandbox-1`.
    public let url: String
    /// The base URL of each API, by the name of the API. Booking's `/rooms` is served at `urls["booking"]` only, because House
    /// has the same path.
    public let urls: [String: String]
    let server: MockServer
  }

  /// Creates a sandbox, like `POST /_mock/sandboxes`. Tests with sandboxes of their own can run in parallel on one server.
  ///
  /// The control API of the sandbox is at `/_mock` below its `url`.
  ///
  /// - Parameters:
  ///   - name: A DNS label of at most 63 characters; the default is a generated name.
  ///   - scenario: The name of a built-in scenario, or a scenario as JSON; the default is the scenario of the server.
  ///   - seed: The seed of all random decisions, at most ``maximumSeed``; the default is the seed of the server.
  ///   - data: A JSON merge patch (RFC 7396) to the initial data of the server: `{"activities": []}`.
  /// - Throws: ``SandboxError`` if a parameter is invalid, if the name is in use, or if the server was stopped.
  public func makeSandbox(
    named name: String? = nil, scenario: String? = nil, seed: UInt64? = nil, data: String? = nil
  ) async throws(SandboxError) -> Sandbox {
    var request = JSONValue.Object([])
    request["name"] = name.map { .string($0) }
    request["scenario"] = try scenario.map { text throws(SandboxError) in try Self.nameOrDocument(text) }
    if let seed {
      guard seed <= Self.maximumSeed else {
        throw .refused("The seed \(seed) is too large: at most \(Self.maximumSeed).")
      }
      request["seed"] = .int(Int(seed))
    }
    if let data { request["data"] = try Self.json(data, "data") }
    let body = JSONValue.object(request).bytes()[...]
    let facts = await ask { ($0.application.state.seeds, $0.application.scenarioTarget, $0.application.realTime) }
    guard let (seeds, target, now) = facts else {
      throw .notRunning
    }
    let draft: SandboxDraft
    do throws(Problem) {
      draft = try SandboxDraft(body, from: seeds, for: target, at: now)
    } catch {
      throw .refused(error.detail)
    }
    let result: Result<Sandbox, SandboxError>? = await ask { loop, answer in
      loop.makeSandbox(draft, on: self, answer)
    }
    guard let created = result else { throw .notRunning }
    return try created.get()
  }

  /// Returns the scenario that a text contains as JSON, or else the text itself as a scenario's name.
  private static func nameOrDocument(_ text: String) throws(SandboxError) -> JSONValue {
    // A file's text may begin with a byte order mark, and with blank lines.
    let document = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    let isJSON = document.hasPrefix("{") || document.hasPrefix("\"")
    return isJSON ? try json(String(document), "scenario") : .string(text)
  }

  private static func json(_ text: String, _ parameter: String) throws(SandboxError) -> JSONValue {
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: Array(text.utf8))
    } catch {
      throw .refused("\(parameter) is not JSON: at byte \(error.offset): \(error.detail)")
    }
  }
}

extension MockServer.Sandbox {
  /// Returns the report about the sandbox's clients so far, as if no more requests followed.
  public func report() async -> RunReport {
    let name = name
    return RunReport(cards: await server.ask { $0.application.state.allCards().filter { $0.name == name } } ?? [])
  }

  /// Deletes the sandbox and its data; its report card remains in the report of the server.
  public func delete() async {
    let name = name
    _ = await server.ask { loop in
      guard let sandbox = loop.application.state.sandboxes[name] else { return }
      loop.application.state.remove(sandbox)
    }
  }
}

/// The reason why a sandbox could not be created. The description is a sentence for people.
public enum SandboxError: Error, Sendable, CustomStringConvertible {
  /// Another sandbox has the same name.
  case nameTaken(String)
  /// A parameter is invalid, or the sandbox could not be stored.
  case refused(String)
  /// The server was stopped before.
  case notRunning

  public var description: String {
    switch self {
    case .nameTaken(let detail), .refused(let detail): detail
    case .notRunning: "The server was stopped."
    }
  }
}

extension EventLoop {
  /// Creates a sandbox. If the state is persisted, the sandbox is written to disk before it becomes visible.
  fileprivate mutating func makeSandbox(
    _ draft: SandboxDraft, on server: MockServer,
    _ answer: @escaping @Sendable (Result<MockServer.Sandbox, SandboxError>) -> Void
  ) {
    do throws(Problem) {
      // The server's data may have been reloaded since the draft was made.
      let isCurrent = (try? draft.data.get().seeds.number).map { $0 == application.state.seeds.number } ?? true
      guard isCurrent else {
        return answer(.failure(.refused("The data files changed in the meantime; create the sandbox again.")))
      }
      let sandbox = try ControlService.makeSandbox(draft, in: application)
      whenCommitted { [application] in
        guard application.state.sandboxes[sandbox.name] === sandbox else {
          return answer(
            .failure(.refused("The sandbox could not be written to the state directory.")))
        }
        let addresses = SandboxAddresses(sandbox, origin: server.url, on: application)
        let urls = API.all.indices.map { (API.all[$0].name, addresses[$0]) }
        answer(
          .success(
            MockServer.Sandbox(
              name: sandbox.name, url: addresses.url, urls: Dictionary(uniqueKeysWithValues: urls), server: server)))
      }
    } catch {
      answer(.failure(error.status == 409 ? .nameTaken(error.detail) : .refused(error.detail)))
    }
  }
}
