import Conformance
import Testing

@Suite("What nothing can be judged by")
struct RefusalTests {
  @Test("no patience is refused in words")
  func refusals() async {
    for patience in [Duration.zero, .seconds(-1)] {
      await #expect(throws: JudgeError.self) {
        do {
          _ = try await Conformance.judge("http://127.0.0.1:9", patience: patience)
        } catch {
          #expect("\(error)".contains("patience"))
          throw error
        }
      }
    }
  }
}
