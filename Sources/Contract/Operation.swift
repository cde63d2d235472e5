package import JSON
package import Primitives

/// One method on one path: its request and all its responses.
///
/// It is declared once and then shared by reference; as a class it is passed on without copying.
package final class Operation: Sendable {
  /// The OpenAPI `operationId`, which is also the key of its handler.
  package let id: String
  package let method: Method
  package let path: PathTemplate
  package let summary: String
  package let about: String
  package let parameters: [Parameter]
  package let body: RequestBody?
  package let responses: [DeclaredResponse]
  /// True if a successful exchange may change the sandbox's data. Three of the real services change state by GET.
  package let changesState: Bool
  /// True if the merged origin serves the path in addition to the API's own origin.
  package let isMerged: Bool
  package let validator: Validator
  /// The `Cache-Control` field of its successful responses: that of the real service, or else a value that stops caches
  /// from using a heuristic lifetime (RFC 9111 section 4.2.2).
  package let cacheControl: String
  /// `Cache-Control` as a field line of a head.
  package let cacheControlField: [UInt8]
  /// True if `If-Match` and `If-None-Match` are compared with a current tag. Otherwise a tag in `If-Match` matches
  /// nothing, and fails a write (RFC 9110 section 13.1.1).
  package let evaluatesPreconditions: Bool
  /// The clients that may request it.
  package let access: Access
  /// The query parameter without which a request changes nothing; nil if every request may change data.
  package let changesOnlyWith: String?
  /// True if a request must have at least one of the query parameters.
  package let needsParameter: Bool
  /// The effect of a successful request on the API's records.
  package let effect: Effect
  /// The members of a record that its requests can set individually.
  package let settableMembers: [SettableMember]
  /// Their names, to find them.
  package let settableNames: NameTable
  /// The minimum time between two successful requests of one client; nil if there is no limit.
  package let pollingInterval: Duration?
  /// The time for which a successful response may be reused without revalidation (RFC 9111 section 5.2.2.1).
  package let lifetime: Duration?
  /// True if a successful response is a stream of events, one for each state of the records.
  package let isStream: Bool
  /// True if a request may ask for a part of the representation (RFC 9110 section 14).
  package let servesRanges: Bool
  /// True if the content of its successful responses has URLs of this server, in the client's scheme and authority.
  package let hasLinks: Bool

  package init(
    _ id: String, _ method: Method, _ path: PathTemplate, summary: String, about: String = "",
    parameters: [Parameter] = [], body: RequestBody? = nil, responses: [DeclaredResponse], changesState: Bool = false,
    isMerged: Bool = true, validator: Validator = .none, cacheControl: String? = nil,
    evaluatesPreconditions: Bool = true,
    access: Access = .everyone, changesOnlyWith: String? = nil, needsParameter: Bool = false,
    effect: Effect = .none, pollingInterval: Duration? = nil, hasLinks: Bool = false
  ) {
    self.id = id
    self.method = method
    self.path = path
    self.summary = summary
    self.about = about
    self.parameters = parameters
    self.body = body
    self.changesState = changesState
    self.isMerged = isMerged
    self.validator = validator
    let isLive = access != .everyone || changesState || !method.isSafe
    self.cacheControl = cacheControl ?? (isLive ? "no-store" : "no-cache")
    cacheControlField = Array("Cache-Control: \(self.cacheControl)\r\n".utf8)
    self.responses =
      cacheControl == nil ? responses.map { [value = self.cacheControl] in $0.caching(value) } : responses
    self.evaluatesPreconditions = evaluatesPreconditions
    self.access = access
    self.changesOnlyWith = changesOnlyWith
    self.needsParameter = needsParameter
    self.effect = effect
    settableMembers = Self.settableMembers(effect, path, body)
    settableNames = NameTable(settableMembers.map(\.name))
    self.pollingInterval = pollingInterval
    lifetime = CacheDirectives(self.cacheControl).lifetime
    servesRanges = responses.contains { $0.status == 206 }
    self.hasLinks = hasLinks
    isStream = responses.contains { response in
      response.status == 200 && response.content.contains { $0.mediaType == "text/event-stream" }
    }
  }

  /// True if its requests can be writes from the client's point of view: the method is not safe, or they change state.
  /// A write whose data the API discards counts, too, because a client cannot know that.
  package var canWrite: Bool { !method.isSafe || changesState }

  /// True if no request can succeed, so preconditions do not apply (RFC 9110 section 13.2.1).
  package var onlyRefuses: Bool { responses.allSatisfy { $0.status >= 400 } }

  /// Returns true if a request with these query parameters is a write.
  package func isWrite(having hasParameter: (String) -> Bool) -> Bool {
    guard canWrite, let parameter = changesOnlyWith else { return canWrite }
    return hasParameter(parameter)
  }

  package enum Access: Sendable {
    /// Every client, and the pages of every site.
    case everyone
    /// Clients that control the tests: no pages of other sites, and outside loopback only with the token.
    case controllers
    /// Every client, without a token, whatever sandbox it names; pages of other sites cannot read it.
    case probes
    /// Every client, without a token, for an existing sandbox; pages of other sites cannot read it.
    case visitors
  }

  /// The kind of entity tag (RFC 9110 section 8.8.3) in its 200 responses.
  package enum Validator: Sendable {
    case none, weak, strong
  }
}

/// A path of literal and variable segments: `/devices/{id}`.
package struct PathTemplate: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The path as printed in the document, with a trailing slash if the real service had one.
  package let text: String
  package let segments: [Segment]

  package enum Segment: Sendable, Hashable {
    case literal(String)
    case variable(String)
  }

  package init(_ text: String) {
    self.text = text
    segments = text.split(separator: "/").map { segment in
      segment.hasPrefix("{") && segment.hasSuffix("}")
        ? .variable(String(segment.dropFirst().dropLast())) : .literal(String(segment))
    }
  }

  package init(stringLiteral text: String) { self.init(text) }
}

/// A parameter in the path, the query or the header section.
package struct Parameter: Sendable {
  package let name: String
  package let location: Location
  package let about: String
  package let isRequired: Bool
  package let schema: Schema
  package let example: JSONExample?

  package enum Location: String, Sendable {
    case path, query, header
  }

  package init(
    _ name: String, in location: Location, _ about: String, required: Bool? = nil, schema: Schema = .string(),
    example: JSONExample? = nil
  ) {
    self.name = name
    self.location = location
    self.about = about
    isRequired = required ?? (location == .path)
    self.schema = schema
    self.example = example
  }
}

/// The body of a request.
package struct RequestBody: Sendable {
  package let about: String
  package let isRequired: Bool
  package let mediaType: String
  /// True if a form (`application/x-www-form-urlencoded`) may carry the same members as text.
  package let acceptsForms: Bool
  package let schema: Schema
  package let examples: [JSONExample]

  package static let formType = "application/x-www-form-urlencoded"

  package init(
    _ schema: Schema, about: String = "", required: Bool = true, mediaType: String = "application/json",
    acceptsForms: Bool = false, examples: [JSONExample] = []
  ) {
    self.about = about
    isRequired = required
    self.mediaType = mediaType
    self.acceptsForms = acceptsForms
    self.schema = schema
    self.examples = examples
  }
}

/// One status of an operation.
package struct DeclaredResponse: Sendable {
  package let status: Int
  package let about: String
  package let content: [Content]
  package let fields: [DeclaredField]

  package init(_ status: Int, _ about: String, content: [Content] = [], fields: [DeclaredField] = []) {
    self.status = status
    self.about = about
    self.content = content
    self.fields = fields
  }

  /// A body in one media type.
  package struct Content: Sendable {
    package let mediaType: String
    package let schema: Schema
    package let examples: [JSONExample]
    /// An example of the problem that a response with an error status states.
    package let problem: Problem?

    package init(
      _ mediaType: String = "application/json", _ schema: Schema, examples: [JSONExample] = [],
      problem: Problem? = nil
    ) {
      self.mediaType = mediaType
      self.schema = schema
      self.examples = examples
      self.problem = problem
    }
  }
}

extension DeclaredResponse {
  /// Returns the response with `Cache-Control` declared if it is a success. The field is optional: a server without it
  /// conforms.
  fileprivate func caching(_ value: String) -> DeclaredResponse {
    guard status < 400 else { return self }
    let field = DeclaredField(
      "Cache-Control", "The time for which the response may be reused.", always: false,
      schema: .constant(.string(value)))
    return DeclaredResponse(status, about, content: content, fields: fields + [field])
  }
}

/// A header field of a response.
package struct DeclaredField: Sendable {
  package let name: String
  package let about: String
  package let isAlwaysSent: Bool
  package let schema: Schema

  package init(_ name: String, _ about: String, always: Bool = true, schema: Schema = .string()) {
    self.name = name
    self.about = about
    isAlwaysSent = always
    self.schema = schema
  }
}

extension Operation {
  /// The path with example values for its variables.
  package var example: String {
    var path = ""
    for segment in self.path.segments {
      switch segment {
      case .literal(let text): path += "/" + text
      case .variable(let name):
        let value = parameters.first { $0.location == .path && $0.name == name }?.example?.value
        path += "/" + (value?.string ?? value?.text ?? name)
      }
    }
    return path.isEmpty || self.path.text.hasSuffix("/") ? path + "/" : path
  }
}
