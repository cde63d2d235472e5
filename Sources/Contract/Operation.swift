import JSON
package import Primitives

/// One method on one path: its request and all its responses.
///
/// It is declared once and then shared by reference; as a class it is passed on without copying. It has one part for each
/// concern of those who read it. A declaration states what the other parts do not imply.
package final class Operation: Sendable {
  /// The OpenAPI `operationId`, which is also the key of its handler.
  package let id: String
  /// The name that a file of semantics gives the operation; nil for others.
  package let name: String?
  package let method: Method
  package let path: PathTemplate
  package let semantics: Semantics
  package let caching: Caching
  package let effect: Effect
  package let documentation: Documentation

  package init(
    _ id: String, _ method: Method, _ path: PathTemplate, semantics: Semantics = .changesNothing(),
    caching: Caching = .conditional(), effect: Effect = .none, documentation: Documentation, name: String? = nil
  ) {
    self.id = id
    self.name = name
    self.method = method
    self.path = path
    self.semantics = semantics.with(documentation.responses)
    let isLive = semantics.access != .everyone || semantics.changesState || !method.isSafe
    self.caching = caching.orElse(isLive ? "no-store" : "no-cache")
    self.effect = effect.setting(membersOf: documentation.body, on: path)
    self.documentation =
      caching.isDeclared ? documentation : documentation.declaring(cacheControl: self.caching.cacheControl)
  }

  /// True if its requests can be writes from the client's point of view: the method is not safe, or they change state.
  /// A write whose data the API discards counts, too, because a client cannot know that.
  package var canWrite: Bool { !method.isSafe || semantics.changesState }

  /// True if no request can succeed, so preconditions do not apply (RFC 9110 section 13.2.1).
  package var onlyRefuses: Bool { documentation.responses.allSatisfy { $0.status >= 400 } }

  /// Returns true if a request with these query parameters is a write.
  package func isWrite(having hasParameter: (String) -> Bool) -> Bool {
    guard canWrite, let parameter = semantics.changesOnlyWith else { return canWrite }
    return hasParameter(parameter)
  }

  /// The path with example values for its variables.
  package var example: String {
    var path = ""
    for segment in self.path.segments {
      switch segment {
      case .literal(let text): path += "/" + text
      case .variable(let name):
        let value = documentation.parameters.first { $0.location == .path && $0.name == name }?.example?.value
        path += "/" + (value?.string ?? value?.text ?? name)
      }
    }
    return path.isEmpty || self.path.text.hasSuffix("/") ? path + "/" : path
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
