@testable import Faults

/// The reference page of files of semantics, generated from the same declarations as the parser and the schema.
enum SemanticsReference {
  /// The page, in Markdown.
  static var page: String {
    """
    # Semantics reference

    Every key of a file for `--semantics`, which declares what requests to a backend mean.

    ## Overview

    The file is a JSON array of rules. The first rule that matches a request declares it; a request that none matches means
    what its method says. A key that is not listed here is refused, with its position and the expected keys.

    ```json
    \(example)
    ```

    ## Rules

    \(ScenarioReference.table(SemanticsRule.members))

    A request is *undeclared* if a rule about its method and path looks into content that cannot be read: it has a content
    coding, it is neither JSON nor a form, or the member does not end within the first \(RequestContent.maximumBytes >> 10)
    KiB. No later rule is tried then, and the journal's entry has the reason as `undeclared`. Content without any byte has no
    members, so later rules are tried.

    An operation with a name is a stream of its own: its requests are counted apart from others with the same method and
    path, so they have plans of their own. The name is `operation` in the journal, in a scenario's `match` and in
    `GET /_mock/plan`.

    Methods of the HTTP registry mean what it says: PROPFIND, REPORT, SEARCH and QUERY read; COPY, MOVE, MKCOL and PROPPATCH
    set. A method that is not registered may add something each time, as POST may. HEAD means what GET means.

    """
  }

  /// A valid file.
  static let example = """
    [
      {"match": "POST /rpc", "where": {"/method": "charge"}, "name": "charge", "effect": "add", "key": "/params/requestId"},
      {"match": "POST /graphql", "where": {"/query": "query *"}, "effect": "read"},
      {"match": "POST /", "where": {"X-Amz-Target": "*.UpdateItem"}, "name": "UpdateItem", "effect": "add"},
      {"match": "POST /*/git-receive-pack", "effect": "set", "shown-by": "GET /*/info/refs"}
    ]
    """
}
