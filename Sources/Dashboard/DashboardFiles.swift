/// The page at `/_mock/`, assembled from the files of this folder, and the style of the report page.
///
/// The page loads only data of its own origin. Its Content Security Policy allows only its own script and style, by a
/// nonce. It requires Trusted Types and allows no policy for them, so that no text can become markup.
package enum DashboardFiles {
  private static let html = text(PackageResources.dashboard_html)
  private static let palette = text(PackageResources.palette_css)
  private static let style = palette + text(PackageResources.dashboard_css)
  /// The style of the report page, in the colors of the dashboard.
  package static let reportStyle = palette + text(PackageResources.report_css)
  /// One script from files with a common scope; each file follows those that it uses.
  private static let script = [
    PackageResources.elements_js, PackageResources.server_js, PackageResources.journal_js, PackageResources.detail_js,
    PackageResources.table_js, PackageResources.timeline_js, PackageResources.scenario_js, PackageResources.report_js,
    PackageResources.state_js, PackageResources.page_js,
  ].map(text).joined()

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The page, split at the positions of the nonce.
  private static let pieces: [String] = {
    let (head, afterStyle) = halves(of: html, around: "/* style */")
    let (body, end) = halves(of: afterStyle, around: "/* script */")
    let page = head + style + body + script + end
    return page.split(separator: "{nonce}", omittingEmptySubsequences: false).map { String($0) }
  }()

  package static func page(nonce: String) -> [UInt8] { Array(pieces.joined(separator: nonce).utf8) }

  package static func policy(nonce: String) -> String {
    [
      "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'", "img-src data: blob:",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")
  }

  private static func halves(of text: String, around mark: String) -> (String, String) {
    let parts = text.split(separator: mark, omittingEmptySubsequences: false)
    precondition(parts.count == 2, "the page has one place for \(mark)")
    return (String(parts[0]), String(parts[1]))
  }
}
