extension Operation {
  /// The clients of an operation, its changes of the data, and the kind of its responses.
  package struct Semantics: Sendable {
    /// True if a successful exchange may change the sandbox's data. Three of the real services change state by GET.
    package let changesState: Bool
    /// The query parameter without which a request changes nothing; nil if every request may change data.
    package let changesOnlyWith: String?
    /// The clients that may request it.
    package let access: Access
    /// True if the merged origin serves the path in addition to the API's own origin.
    package let isMerged: Bool
    /// True if the content of its successful responses has URLs of this server, in the client's scheme and authority.
    package let hasLinks: Bool
    /// True if a successful response is a stream of events, one for each state of the records.
    package private(set) var isStream = false

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

    /// No request changes the sandbox's data, whatever the method.
    package static func changesNothing(
      for access: Access = .everyone, isMerged: Bool = true, hasLinks: Bool = false
    ) -> Semantics {
      Semantics(
        changesState: false, changesOnlyWith: nil, access: access, isMerged: isMerged, hasLinks: hasLinks)
    }

    /// A request changes the sandbox's data.
    ///
    /// - Parameter parameter: The query parameter without which it changes nothing; nil if there is none.
    package static func changesState(for access: Access = .everyone, onlyWith parameter: String? = nil) -> Semantics {
      Semantics(changesState: true, changesOnlyWith: parameter, access: access, isMerged: true, hasLinks: false)
    }

    /// Returns the semantics with what the declared responses imply.
    func with(_ responses: [DeclaredResponse]) -> Semantics {
      var semantics = self
      semantics.isStream = responses.contains { response in
        response.status == 200 && response.content.contains { $0.mediaType == "text/event-stream" }
      }
      return semantics
    }
  }
}
