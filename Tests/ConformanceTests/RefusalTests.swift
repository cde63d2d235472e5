import Conformance
import Testing

@Suite("Invalid options of a judgement")
struct RefusalTests {
  @Test("a patience of zero or less is refused with a message")
  func refusals() async {
    for patience in [Duration.zero, .seconds(-1)] {
      await #expect(throws: JudgeError.self) {
        do {
          _ = try await ConformanceSuite.judge("http://127.0.0.1:9", patience: patience)
        } catch {
          #expect("\(error)".contains("patience"))
          throw error
        }
      }
    }
  }

  @Test("a token that no field value can contain is refused, and not printed")
  func tokens() async {
    for token in ["", "a b", "a\r\nX: 1"] {
      await #expect(throws: JudgeError.self) {
        do {
          _ = try await ConformanceSuite.judge("http://127.0.0.1:9", adminToken: token)
        } catch {
          #expect("\(error)".hasPrefix("the admin token is empty, or contains a blank") && !"\(error)".contains("X: 1"))
          throw error
        }
      }
    }
  }
}
