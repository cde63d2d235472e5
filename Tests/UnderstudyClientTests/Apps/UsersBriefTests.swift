import Foundation
import Testing
// Imported as by an app, without internal declarations.
import UnderstudyClient

/// The call of the users' brief, as apps write it, with closures and types that are not `Sendable`.
@Suite("The call of the users' brief compiles and calls back")
struct UsersBriefTests {
  /// The brief's service, which a test replaces.
  private protocol UsersFetching {
    func fetchUsers(ownerID: String, success: @escaping (UsersList) -> Void, failure: @escaping (FetchError) -> Void)
  }

  private struct Service: UsersFetching {
    let client: BackendClient

    func fetchUsers(
      ownerID: String, success: @escaping (UsersList) -> Void, failure: @escaping (FetchError) -> Void
    ) {
      client.fetchUsers(ownerID: ownerID, success: success, failure: failure)
    }
  }

  /// A screen that is no actor's and not `Sendable`. Only the main actor uses it.
  private final class Screen {
    private(set) var ids: [Int] = []
    private(set) var error: FetchError?
    private let service: any UsersFetching

    init(_ service: any UsersFetching) { self.service = service }

    func show(then: @escaping () -> Void) {
      service.fetchUsers(
        ownerID: "2",
        success: { list in
          MainActor.assertIsolated()
          self.ids = list.users.map(\.id)
          then()
        },
        failure: { error in
          MainActor.assertIsolated()
          self.error = error
          then()
        })
    }
  }

  private actor Store {
    private(set) var ids: [Int] = []

    func load(_ client: BackendClient) async {
      await client.fetchUsers(
        ownerID: "2",
        success: { list in
          self.assertIsolated()
          self.ids = list.users.map(\.id)
        }, failure: { _ in self.ids = [] }
      ).value
    }
  }

  /// A list and an error of the app.
  private final class Names {
    let list: [String]

    init(_ list: [String]) { self.list = list }
  }

  private enum Reason: Error {
    case sentence(String)
  }

  private static func fetchNames(
    _ client: BackendClient, success: @escaping (Names) -> Void, failure: @escaping (Reason) -> Void
  ) {
    client.fetchUsers(
      ownerID: "2", success: { success(Names($0.users.map(\.name))) },
      failure: { failure(.sentence($0.localizedDescription)) })
  }

  private func client(_ answer: ScriptedTransport.Answer = UserChooserTests.three) throws -> BackendClient {
    try .scripted(ScriptedTransport(answer))
  }

  @Test("behind a protocol of the app, for a screen that is not Sendable")
  @MainActor func behindAProtocol() async throws {
    for (answer, ids) in [(UserChooserTests.three, [11, 1]), (.response(404, "{}"), [])] {
      let screen = Screen(Service(client: try client(answer)))
      await withCheckedContinuation { continuation in screen.show { continuation.resume() } }
      #expect(screen.ids == ids && (screen.error == nil) == !ids.isEmpty)
    }
  }

  @Test("from an actor, whose state the closures change")
  func fromAnActor() async throws {
    let store = Store()
    await store.load(try client())
    #expect(await store.ids == [11, 1])
  }

  @Test("with a list and an error of the app, which are not Sendable")
  @MainActor func ownTypes() async throws {
    var names: Names?
    var reason: Reason?
    for answer in [UserChooserTests.three, .offline] {
      let client = try client(answer)
      await withCheckedContinuation { continuation in
        Self.fetchNames(
          client,
          success: {
            names = $0
            continuation.resume()
          },
          failure: {
            reason = $0
            continuation.resume()
          })
      }
    }
    #expect(names?.list == ["N", "N"])
    guard case .sentence(let sentence)? = reason else {
      Issue.record("no failure")
      return
    }
    #expect(!sentence.isEmpty)
  }
}
