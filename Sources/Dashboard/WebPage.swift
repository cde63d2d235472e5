import JSON
import Primitives

/// A page made of the files in `Web`: markup, a style and modules of a script, in one piece.
///
/// Each script is an ES module. An import map gives each name a `data:` URL with the module's text, so a page loads nothing,
/// and works as a file, too. Its Content Security Policy allows only its own style and modules, by a nonce, which the
/// modules that a module imports inherit. It requires Trusted Types and allows no policy for them, so that no text can become
/// markup.
package struct WebPage: Sendable {
  package let html: String
  /// The value of its `Content-Security-Policy`.
  package let policy: String

  private typealias Module = (name: String, script: String)

  /// The page at `/_mock/`, which loads only data of its own origin.
  ///
  /// - Parameters:
  ///   - faults: The names of the faults that it offers.
  ///   - apis: The names and the titles of the served APIs; none if the server stands in front of a backend.
  ///   - changingReads: The APIs and the paths of the GET operations that can change the state.
  package static func dashboard(
    faults: [String], apis: [(name: String, title: String)], changingReads: [(api: String, path: String)]
  ) -> WebPage {
    let titles = apis.map { JSONValue.Member($0.name, .string($0.title)) }
    let operations = changingReads.map { ["api": .string($0.api), "path": .string($0.path)] as JSONValue }
    return WebPage(
      EmbeddedFiles.`dashboard.html`, styles: [EmbeddedFiles.`dashboard.css`],
      modules: [
        ("server", EmbeddedFiles.`server.js`), ("journal", EmbeddedFiles.`journal.js`),
        ("detail", EmbeddedFiles.`detail.js`), ("preference", EmbeddedFiles.`preference.js`),
        ("table", EmbeddedFiles.`table.js`), ("timeline", EmbeddedFiles.`timeline.js`),
        ("scenario", EmbeddedFiles.`scenario.js`), ("faults", EmbeddedFiles.`faults.js`),
        ("report", EmbeddedFiles.`report.js`), ("backend", EmbeddedFiles.`backend.js`),
        ("state", EmbeddedFiles.`state.js`),
        ("page", EmbeddedFiles.`page.js`),
      ], directives: ["img-src data: blob:", "connect-src 'self'"], headerDirectives: [],
      content: [
        ("{faults}", JSONValue.array(faults.map(JSONValue.string)).text),
        ("{changingReads}", JSONValue.array(operations).text),
        ("{apis}", JSONValue.object(JSONValue.Object(titles)).text),
      ])
  }

  /// The report page, which loads nothing. It also works as a file. In a response its origin is opaque.
  ///
  /// - Parameters:
  ///   - data: The cards as JSON that contains no `<`.
  ///   - text: The cards as text that contains no markup; the page shows it where scripts do not run.
  package static func report(data: String, text: String) -> WebPage {
    WebPage(
      EmbeddedFiles.`report-page.html`, styles: [EmbeddedFiles.`report-page.css`],
      modules: [("attempts", EmbeddedFiles.`attempts.js`), ("report-page", EmbeddedFiles.`report-page.js`)],
      directives: [], headerDirectives: ["sandbox allow-scripts"], content: [("{data}", data), ("{text}", text)])
  }

  /// A page that is markup alone, in the style of the report page. It loads nothing and runs no script.
  ///
  /// - Parameter body: Markup, in which all texts are escaped.
  package static func plain(title: String, body: String) -> WebPage {
    let nonce = RandomToken.make()
    let policy = "default-src 'none'; style-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'"
    let style = EmbeddedFiles.`common.css` + EmbeddedFiles.`report-page.css`
    let html = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <title>\(title)</title>
      <style nonce="\(nonce)">
      \(style)
      </style>
      </head>
      <body>
      <main>
      <p class="eyebrow">\(title)</p>
      \(body)</main>
      </body>
      </html>

      """
    return WebPage(html: html, policy: policy)
  }

  private init(html: String, policy: String) { (self.html, self.policy) = (html, policy) }

  /// - Parameters:
  ///   - modules: The modules that only this page has.
  ///   - headerDirectives: Directives that browsers ignore in the policy of a file.
  ///   - content: The values that replace marks.
  private init(
    _ markup: String, styles: [String], modules: [Module], directives: [String], headerDirectives: [String],
    content: [(mark: String, value: String)]
  ) {
    let nonce = RandomToken.make()
    let everywhere = [
      "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'", "base-uri 'none'",
      "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]
    let values = [
      ("/* style */", ([EmbeddedFiles.`common.css`] + styles).joined()),
      ("{modules}", Self.importMap(Self.commonModules + modules)), ("{nonce}", nonce),
      ("{policy}", (everywhere + directives).joined(separator: "; ")), ("{reference}", CheckReference.json),
    ]
    html = markup[...].replacing((values + content)[...])
    policy = (everywhere + directives + ["frame-ancestors 'none'"] + headerDirectives).joined(separator: "; ")
  }

  private static let commonModules: [Module] = [
    ("elements", EmbeddedFiles.`elements.js`), ("formats", EmbeddedFiles.`formats.js`),
    ("entry", EmbeddedFiles.`entry.js`), ("checks", EmbeddedFiles.`checks.js`),
  ]

  private static func importMap(_ modules: [Module]) -> String {
    let imports = modules.map { module in
      // Browsers show the source's name in errors.
      let script = module.script + "//# sourceURL=\(module.name).js\n"
      return JSONValue.Member(module.name, .string("data:text/javascript;charset=utf-8," + percentEncoded(script)))
    }
    return JSONValue.object(JSONValue.Object([JSONValue.Member("imports", .object(JSONValue.Object(imports)))])).text
  }

  /// Returns a text for a URL in JSON in a script element: without what ends one of them, and without line breaks, which
  /// browsers remove from URLs.
  private static func percentEncoded(_ script: String) -> String {
    var text: [UInt8] = []
    for byte in script.utf8 {
      if 0x20..<0x7F ~= byte, !"%\"\\<#".utf8.contains(byte) {
        text.append(byte)
      } else {
        text += "%\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The description of each check on the documentation's page *Report card*.
enum CheckReference {
  /// By the id of a check, pairs of a term, as in `Passes`, and its text in Markdown: JSON without `<`.
  static let json = text(of: EmbeddedFiles.`ReportCard.md`)

  private static func text(of page: String) -> String {
    var checks = JSONValue.Object()
    for section in page.components(beginning: "\n### ") {
      guard let id = section.split(separator: "\n").first else { continue }
      let list = section.prefix(upTo: section.firstRange(of: "\n## ")?.lowerBound ?? section.endIndex)
      let terms = list.components(beginning: "\n- **").map { item in
        let text = item.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let end = text.firstRange(of: ":** ")
        return JSONValue.array([
          .string(String(text[..<(end?.lowerBound ?? text.endIndex)])),
          .string(String(text[(end?.upperBound ?? text.endIndex)...])),
        ])
      }
      checks[String(id)] = .array(terms)
    }
    return JSONValue.object(checks).text.replacing("<", with: "\\u003C")
  }
}

extension StringProtocol {
  /// Returns the parts that follow a mark.
  fileprivate func components(beginning mark: String) -> [SubSequence] {
    split(separator: mark, omittingEmptySubsequences: false).dropFirst().map(\.self)
  }
}

extension Substring {
  /// Returns the text with values in the place of marks. A mark within a value is not replaced.
  fileprivate func replacing(_ values: ArraySlice<(mark: String, value: String)>) -> String {
    guard let first = values.first else { return String(self) }
    return split(separator: first.mark, omittingEmptySubsequences: false)
      .map { $0.replacing(values.dropFirst()) }.joined(separator: first.value)
  }
}
