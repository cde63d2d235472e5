import Foundation
import LiveTesting
import Testing
// Imported as by an app, without internal declarations.
import UnderstudyClient

#if canImport(Observation)
  import Observation

  /// A screen's model as an app writes it.
  @MainActor @Observable
  final class RoomScreen {
    private(set) var state: ModelState<RoomList>?

    func show(_ board: RoomBoard) async {
      for await state in await board.updates() {
        self.state = state
        if state.failure != nil { return }
      }
    }
  }

  @Suite("A screen's model", .temporaryFiles)
  struct ScreenModelTests {
    private struct Offline: Transport {
      func send(_ request: TransportRequest, timeout: Duration) async throws(TransportFailure) -> TransportResponse {
        throw .notSent(.offline)
      }
    }

    @Test("is observable, and shows a failed refresh")
    @MainActor func observed() async throws {
      let base = try #require(URL(string: "http://test.example"))
      var configuration = BackendClient.Configuration(Endpoints(base), transport: Offline())
      configuration.policy.maximumAttempts = 1
      let directory = TemporaryFiles.newDirectory()
      let board = RoomBoard(BackendClient(configuration), directory: directory)
      let screen = RoomScreen()
      let refresh = Task { try? await board.refresh() }
      await screen.show(board)
      _ = await refresh.value
      #expect(
        screen.state?.failure?.localizedDescription
          == "The request was not sent: the device has no network connection.")
      #expect(screen.state?.rooms.isEmpty == true && screen.state?.freshness == .unknown)
    }
  }
#endif
