import Foundation
import Testing

@testable import Understudy

@Suite("The committed openapi.yaml")
struct CommittedDocumentTests {
  @Test("is what the declarations print, byte for byte")
  func isWhatTheDeclarationsPrint() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let committed = try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
    #expect(committed == MockServer.openAPI, "run: swift run understudy openapi > openapi.yaml")
  }
}
