import Contract
import Faults
import JSON

extension MockServer {
  /// A backend of a test's own: an isolated copy with its own data, faults, clock and journal.
  public struct Sandbox: Sendable {
    /// As in `/@name` of its addresses. A name that the server made up is never made up again, not after a restart with
    /// the same state either.
    public let name: String
    /// The address at which it serves all APIs, for an app's base URL: `http://127.0.0.1:8080/@sandbox-1`.
    public let url: String
    /// The base URL of each API alone, by the API's name. Booking's `/rooms` is only at `urls["booking"]`.
    public let urls: [String: String]
    let server: MockServer
  }

  /// Makes a sandbox. Any number of tests run side by side on one server, each in its own.
  ///
  /// It is made as by `POST /_mock/sandboxes`, and everything under `/_mock` of its `url` works for it.
  ///
  /// - Parameters:
  ///   - name: A DNS label of at most 63 characters; without one a name is made up.
  ///   - scenario: What goes wrong: the name of a built-in scenario, or a whole one as JSON; the server's own, unless said.
  ///   - seed: The seed of every decision, at most `maximumSeed`; the server's own, unless said.
  ///   - data: A JSON merge patch (RFC 7396) on the data that the server starts from: `{"activities": []}`.
  /// - Throws: `SandboxError`.
  public func makeSandbox(
    named name: String? = nil, scenario: String? = nil, seed: UInt64? = nil, data: String? = nil
  ) async throws(SandboxError) -> Sandbox {
    var order = JSONValue.Object([])
    order["name"] = name.map { .string($0) }
    order["scenario"] = try scenario.map { text throws(SandboxError) in try Self.nameOrDocument(text) }
    if let seed {
      guard seed <= Self.maximumSeed else {
        throw .refused("The seed \(seed) is too large: at most \(Self.maximumSeed).")
      }
      order["seed"] = .int(Int(seed))
    }
    if let data { order["data"] = try Self.json(data, "data") }
    let body = JSONValue.object(order).bytes()[...]
    guard let (seeds, now) = await ask({ ($0.backend.seeds, $0.backend.realTime) }) else { throw .notRunning }
    let draft: SandboxDraft
    do throws(Problem) {
      draft = try SandboxDraft(body, from: seeds, at: now)
    } catch {
      throw .refused(error.detail)
    }
    let result: Result<Sandbox, SandboxError>? = await ask { loop, answer in
      loop.makeSandbox(draft, on: self, answer)
    }
    guard let made = result else { throw .notRunning }
    return try made.get()
  }

  /// A scenario's JSON where the text is some, else its name.
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
      throw .refused("\(parameter) is no JSON: at byte \(error.offset): \(error.detail)")
    }
  }
}

extension MockServer.Sandbox {
  /// Returns the verdicts about this sandbox's clients so far, as if no more requests will come.
  public func report() async -> RunReport {
    let name = name
    return RunReport(cards: await server.ask { $0.backend.allCards().filter { $0.name == name } } ?? [])
  }

  /// Deletes it with all that it holds; its card stays in the server's report.
  public func delete() async {
    let name = name
    _ = await server.ask { loop in
      guard let sandbox = loop.backend.sandboxes[name] else { return }
      loop.backend.remove(sandbox, undo: .deleted(sandbox))
    }
  }
}

/// The reason for which a sandbox could not be made, as a sentence.
public enum SandboxError: Error, Sendable, CustomStringConvertible {
  /// Another sandbox has the name.
  case nameTaken(String)
  /// The request for a sandbox is invalid.
  case refused(String)
  /// The server was stopped.
  case notRunning

  public var description: String {
    switch self {
    case .nameTaken(let detail), .refused(let detail): detail
    case .notRunning: "The server was stopped."
    }
  }
}

extension EventLoop {
  /// Makes a sandbox, and writes it to disk, if there is one, before it is visible.
  fileprivate func makeSandbox(
    _ draft: SandboxDraft, on server: MockServer,
    _ answer: @escaping @Sendable (Result<MockServer.Sandbox, SandboxError>) -> Void
  ) {
    do throws(Problem) {
      // The server's data may have been reloaded since the draft was made.
      let isCurrent = (try? draft.data.get().seeds.number).map { $0 == backend.seeds.number } ?? true
      guard isCurrent else {
        return answer(.failure(.refused("The data files changed just now; make the sandbox again.")))
      }
      let made = try ControlService.makeSandbox(draft, in: backend)
      whenKept { [self] in
        guard backend.sandboxes[made.name] === made else {
          return answer(
            .failure(.refused("The disk on which the server keeps its state did not take the sandbox.")))
        }
        let addresses = SandboxAddresses(made, origin: server.url)
        let urls = API.all.indices.map { (API.all[$0].name, addresses[$0]) }
        answer(
          .success(
            MockServer.Sandbox(
              name: made.name, url: addresses.url, urls: Dictionary(uniqueKeysWithValues: urls), server: server)))
      }
    } catch {
      answer(.failure(error.status == 409 ? .nameTaken(error.detail) : .refused(error.detail)))
    }
  }
}
