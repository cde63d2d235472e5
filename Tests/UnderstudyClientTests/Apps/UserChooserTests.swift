import Foundation
import Testing

@testable import UnderstudyClient

@Suite("The chooser of users")
struct UserChooserTests {
  private static func users(_ ids: [Int]) -> ScriptedTransport.Answer {
    let user = #"""
      {"id":%,"name":"N","username":"U","email":"E","address":{"street":"S","suite":"S","city":"C","zipcode":"Z",
      "geo":{"lat":"1","lng":"2"}},"phone":"P","website":"W","company":{"name":"N","catchPhrase":"C","bs":"B"}}
      """#
    return .response(200, "[\(ids.map { user.replacing("%", with: "\($0)") }.joined(separator: ","))]")
  }

  static let three = users([1, 2, 11])

  @Test("reverses the list and leaves out the owner")
  func fetchUsers() async throws {
    let client = try BackendClient.scripted(ScriptedTransport(Self.three))
    #expect(try await client.fetchUsers(ownerID: "1").map(\.id) == [11, 2])
    #expect(try await client.fetchUsers(ownerID: "01").map(\.id) == [11, 2, 1])
  }

  @Test("calls a closure with the list, or another with the error")
  func closures() async throws {
    func result(_ answer: ScriptedTransport.Answer) async throws -> Result<UsersList, FetchError> {
      let client = try BackendClient.scripted(ScriptedTransport(answer))
      return await withCheckedContinuation { continuation in
        client.fetchUsers(
          ownerID: "2", success: { continuation.resume(returning: .success($0)) },
          failure: { continuation.resume(returning: .failure($0)) })
      }
    }
    #expect(try await result(Self.three).get().users.map(\.id) == [11, 1])
    #expect(try await result(.offline) == .failure(.network(.notSent(.offline))))
    #expect(try await result(.response(404, "{}")) == .failure(.server(Rejection(status: 404, isJSON: true))))
    guard case .failure(.invalidResponse) = try await result(.response(200, "<html>")) else {
      Issue.record("a page was taken for a list")
      return
    }
  }

  @Test("calls the closures on the actor of their caller, which need not be Sendable")
  @MainActor func closuresOnTheActor() async throws {
    let client = try BackendClient.scripted(ScriptedTransport(Self.three))
    var shown: [Int] = []
    await withCheckedContinuation { continuation in
      client.fetchUsers(
        ownerID: "2",
        success: { list in
          MainActor.assertIsolated()
          shown = list.users.map(\.id)
          continuation.resume()
        }, failure: { _ in continuation.resume() })
    }
    #expect(shown == [11, 1])
  }

  @Test("gives the failure closure of a cancelled task the cancellation")
  func cancelledClosures() async throws {
    let arrived = Gate()
    let client = try BackendClient.scripted(
      ScriptedTransport { _, _ in
        await arrived.open()
        try? await Task.sleep(for: .seconds(3_600))
        return .failure(.lost(.cancelled))
      })
    let result: FetchError? = await withCheckedContinuation { continuation in
      let task = client.fetchUsers(
        ownerID: "2", success: { _ in continuation.resume(returning: nil) },
        failure: { continuation.resume(returning: $0) })
      Task {
        await arrived.pass()
        task.cancel()
      }
    }
    #expect(result == .cancelled)
  }

  @Test("shows the owner first, also offline after a relaunch")
  func relaunchOffline() async throws {
    let store = MemoryFileStore()
    let first = try UserChooser(.scripted(ScriptedTransport(Self.three)), .memory(store))
    #expect(try await first.choose(ownerID: "2").users.map(\.id) == [2, 11, 1])
    let second = try UserChooser(.scripted(ScriptedTransport(.offline)), .memory(store.relaunched()))
    #expect(await second.state.owner?.id == 2)
    #expect(await second.state.freshness == first.state.freshness.date.map { .stored($0) })
    await #expect(throws: RequestError.notSent(.offline)) { try await second.choose(ownerID: "11") }
    let state = await second.state
    #expect(state.users.map(\.id) == [11, 2, 1], "the choice is shown at once")
    #expect(state.failure == .notSent(.offline))
  }

  @Test("shows the later of two quick choices, and cancels the request of the first")
  func laterWins() async throws {
    let (arrived, cancelled) = (Gate(), Gate())
    let transport = ScriptedTransport { _, number in
      guard number == 1 else { return Self.users([1, 2]) }
      await arrived.open()
      await withTaskCancellationHandler {
        await cancelled.pass()
      } onCancel: {
        Task { await cancelled.open() }
      }
      return Self.users([7])
    }
    let chooser = try UserChooser(.scripted(transport), .memory())
    let first = Task { try await chooser.choose(ownerID: "1") }
    await arrived.pass()
    #expect(try await chooser.choose(ownerID: "2").users.map(\.id) == [2, 1])
    await #expect(throws: CancellationError.self) { try await first.value }
    let state = await chooser.state
    #expect(state.users.map(\.id) == [2, 1] && state.failure == nil && !state.isRefreshing)
  }
}
