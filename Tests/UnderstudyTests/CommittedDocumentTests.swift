import Foundation
import LiveTesting
import Testing

@testable import Understudy

@Suite("The committed openapi.yaml")
struct CommittedDocumentTests {
  @Test("is what the declarations print, byte for byte")
  func isWhatTheDeclarationsPrint() throws {
    let committed = try Repository.text("openapi.yaml")
    #expect(committed == MockServer.openAPI, "run: swift run understudy openapi > openapi.yaml")
  }
}
