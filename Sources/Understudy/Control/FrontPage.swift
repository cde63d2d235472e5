import Contract
import Primitives
import Services

/// The page at `/`, with links to each API, the dashboard and the document: HTML for browsers, text for terminals.
struct FrontPage {
  /// An API, and the URL of a response that shows its data.
  struct ListedAPI {
    let api: API
    let operation: Contract.Operation
    let url: String
    /// The operations at this API's address.
    let all: [Contract.Operation]
  }

  let entries: [ListedAPI]
  /// The labels of the request, as a prefix of a path.
  let prefix: String
  /// The request's sandbox; nil for the default one.
  let sandbox: String?

  var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="icon" href="data:,">
    <title>Understudy</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>
    <h1>Understudy</h1>
    <p class="lead">This server stands in for real backends. It keeps state, and a scenario decides what goes wrong with
    which request.</p>
    \(sandbox.map { "<p>This is the sandbox <b>\(Markup.escaped($0))</b>: its data, faults and clock are its own.</p>" } ?? "")
    <h2>APIs</h2>
    <ul>
    \(entries.map(Self.item).joined(separator: "\n"))
    </ul>
    <h2>Tools</h2>
    <ul>
    \(Self.item(prefix + "/_mock/", "Dashboard", "/_mock/", "Shows requests as they come, switches scenarios and data."))
    \(Self.item(prefix + "/openapi.yaml", "Document", "/openapi.yaml", "Describes every operation, with examples."))
    </ul>
    </main>
    </body>
    </html>

    """
  }

  /// The same for a terminal: the operations of each API in columns.
  var text: String {
    let operations = entries.flatMap(\.all)
    let methodWidth = operations.map(\.method.rawValue.count).max() ?? 0
    let pathWidth = operations.map(\.path.text.count).max() ?? 0
    let apis = entries.map { entry in
      let lines = entry.all.map { operation in
        "  " + Self.padded(operation.method.rawValue, methodWidth) + "  " + Self.padded(operation.path.text, pathWidth)
          + "  " + operation.documentation.summary + "\n"
      }
      return "\(entry.api.title), as in GET \(entry.url)\n" + lines.joined()
    }
    return """
      Understudy stands in for real backends. It keeps state, and a scenario decides what goes wrong with which request.
      \(sandbox.map { "This is the sandbox \($0): its data, faults and clock are its own.\n" } ?? "")
      \(apis.joined(separator: "\n"))
      Dashboard  \(prefix)/_mock/
      Document   \(prefix)/openapi.yaml

      """
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func item(_ entry: ListedAPI) -> String {
    let operations = entry.all.map { operation in
      "<p><code>\(operation.method.rawValue) \(Markup.escaped(operation.path.text))</code> "
        + "\(Markup.escaped(operation.documentation.summary))</p>"
    }
    return item(
      entry.url, entry.api.title, "GET \(entry.operation.path.text)", entry.api.about,
      more: """
        <details><summary>\(entry.all.count) operations</summary>
        \(operations.joined(separator: "\n"))
        </details>
        """)
  }

  private static func item(
    _ url: String, _ title: String, _ code: String, _ about: String, more: String = ""
  ) -> String {
    """
    <li><a href="\(Markup.escaped(url))"><b>\(Markup.escaped(title))</b> <code>\(Markup.escaped(code))</code></a>
    <p>\(Markup.escaped(about))</p>\(more)</li>
    """
  }

  /// A Content Security Policy that allows only the page's own style, by its hash.
  static let policy = """
    default-src 'none'; style-src 'sha256-BEBdyewyu9z5kvZh3rgPlEGzPqwi8t5CHetM8GAeUhA='; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'
    """

  static let style = """
    :root { color-scheme: light dark; --paper: #fbfaf8; --ink: #1d1c1a; --soft: #6a6660; --rule: #e2ded7; --link: #2b5fa8; }
    @media (prefers-color-scheme: dark) { :root { --paper: #171614; --ink: #ece8e1; --soft: #a09a90; --rule: #35322d;
      --link: #86b3f2; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    main { max-width: 42rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
    h1 { font-size: clamp(1.6rem, 5vw, 2.3rem); line-height: 1.15; margin: 0 0 .5rem; }
    h2 { font-size: 1.1rem; margin: 2.25rem 0 .25rem; }
    p { margin: 0; overflow-wrap: anywhere; }
    .lead { color: var(--soft); margin-bottom: .75rem; }
    ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--rule); }
    li { padding: .7rem 0; border-bottom: 1px solid var(--rule); }
    li p { color: var(--soft); }
    a { color: var(--link); text-decoration: none; display: flex; flex-wrap: wrap; gap: 0 .75rem; }
    a:hover, a:focus-visible { text-decoration: underline; }
    code { font: .9em/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
    """
}

extension ControlService {
  static func getFrontPage(_ command: Command) -> Response {
    // In front of a backend only the port of the control API gets here, where there is no API to show.
    guard command.application.upstream == nil else {
      return Response(302, fields: [ResponseField("Location", command.prefix + "/_mock/")])
    }
    let isDefault = command.sandbox.name == Sandboxes.defaultName
    let page = FrontPage(
      entries: entries(command), prefix: command.prefix, sandbox: isDefault ? nil : command.sandbox.name)
    let isHTML = Accept(command.accept ?? "").prefersHTML
    return Response(
      200, isHTML ? Representation(Array(page.html.utf8), .html) : Representation(Array(page.text.utf8), .text),
      fields: [
        ResponseField(PagePolicy.fieldName, FrontPage.policy), ResponseField("Referrer-Policy", "no-referrer"),
        ResponseField("Vary", "Accept, Understudy-Sandbox"),
      ])
  }

  /// Returns an entry for each reachable API: with a path on the request's origin if that serves the API, otherwise
  /// with a URL.
  private static func entries(_ command: Command) -> [FrontPage.ListedAPI] {
    let addresses = SandboxAddresses(command.sandbox, origin: command.origin, on: command.application)
    let host = HostField(ofOrigin: command.origin).host
    // The host of a real service selects its API, so no other API can be reached on it.
    let isUpstream = API.all.contains { $0.isHost(host) }
    return API.all.enumerated().compactMap { index, api in
      let isHere = index == command.api ?? index
      guard isHere || !isUpstream, let operation = api.sampleOperation(isMerged: command.api == nil) else { return nil }
      let base = isHere ? command.prefix : addresses[index]
      let all = api.operations.filter { $0.semantics.isMerged || command.api != nil }
      return FrontPage.ListedAPI(api: api, operation: operation, url: base + operation.path.text, all: all)
    }
  }
}

extension API {
  /// Returns the first operation that only reads and needs no arguments.
  fileprivate func sampleOperation(isMerged: Bool) -> Contract.Operation? {
    operations.first { operation in
      let isPlain =
        !operation.path.text.contains("{") && !operation.documentation.parameters.contains(where: \.isRequired)
      let isHere = operation.semantics.isMerged || !isMerged
      return operation.method == .get && !operation.semantics.changesState && isPlain && isHere
    }
  }
}
