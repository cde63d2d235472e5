import Primitives

/// A page made of this folder's files: markup, a style and a script, in one piece.
///
/// Its Content Security Policy allows only its own style and script, by a nonce. It requires Trusted Types and allows no
/// policy for them, so that no text can become markup.
package struct WebPage: Sendable {
  package let html: String
  /// The value of its `Content-Security-Policy`.
  package let policy: String

  /// The page at `/_mock/`, which loads only data of its own origin.
  package static func dashboard() -> WebPage {
    WebPage(
      PackageResources.dashboard_html, styles: [PackageResources.dashboard_css],
      scripts: [
        PackageResources.server_js, PackageResources.journal_js, PackageResources.detail_js, PackageResources.table_js,
        PackageResources.timeline_js, PackageResources.scenario_js, PackageResources.report_js,
        PackageResources.state_js, PackageResources.page_js,
      ], directives: ["img-src data: blob:", "connect-src 'self'"], headerDirectives: [])
  }

  /// The report page, which loads nothing. It also works as a file. In a response its origin is opaque.
  ///
  /// - Parameters:
  ///   - data: The cards as JSON that contains no `<`.
  ///   - text: The cards as text that contains no markup; the page shows it where scripts do not run.
  package static func report(data: String, text: String) -> WebPage {
    WebPage(
      PackageResources.report_page_html, styles: [PackageResources.report_page_css],
      scripts: [PackageResources.attempts_js, PackageResources.report_page_js], directives: [],
      headerDirectives: ["sandbox allow-scripts"], content: [("{data}", data), ("{text}", text)])
  }

  /// - Parameters:
  ///   - scripts: Files with a common scope; each follows those that it uses.
  ///   - headerDirectives: Directives that browsers ignore in the policy of a file.
  ///   - content: The values that replace marks.
  private init(
    _ markup: [UInt8], styles: [[UInt8]], scripts: [[UInt8]], directives: [String], headerDirectives: [String],
    content: [(mark: String, value: String)] = []
  ) {
    let nonce = RandomToken.make()
    let everywhere = [
      "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'", "base-uri 'none'",
      "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]
    let common = [PackageResources.elements_js, PackageResources.entry_js, PackageResources.card_js]
    let values = [
      ("/* style */", Self.text([PackageResources.common_css] + styles)),
      ("/* script */", Self.text(common + scripts)), ("{nonce}", nonce),
      ("{policy}", (everywhere + directives).joined(separator: "; ")),
    ]
    html = Self.text([markup])[...].replacing((values + content)[...])
    policy = (everywhere + directives + ["frame-ancestors 'none'"] + headerDirectives).joined(separator: "; ")
  }

  private static func text(_ files: [[UInt8]]) -> String { String(decoding: files.joined(), as: UTF8.self) }
}

extension Substring {
  /// Returns the text with values in the place of marks. A mark within a value is not replaced.
  fileprivate func replacing(_ values: ArraySlice<(mark: String, value: String)>) -> String {
    guard let first = values.first else { return String(self) }
    return split(separator: first.mark, omittingEmptySubsequences: false)
      .map { $0.replacing(values.dropFirst()) }.joined(separator: first.value)
  }
}
