extension Operation {
  /// Entity tags and preconditions, and the time for which a response may be reused (RFC 9110 section 13, RFC 9111).
  package struct Caching: Sendable {
    package let validator: Validator
    /// True if `If-Match` and `If-None-Match` are compared with a current tag. Otherwise a tag in `If-Match` matches
    /// nothing, and fails a write (RFC 9110 section 13.1.1).
    package let evaluatesPreconditions: Bool
    /// The `Cache-Control` field of its successful responses: that of the real service. If that sends none, the value keeps
    /// caches from choosing a lifetime themselves (RFC 9111 section 4.2.2).
    package let cacheControl: String
    /// `Cache-Control` as a field line of a head.
    package let cacheControlField: [UInt8]
    /// The time for which a successful response may be reused without revalidation (RFC 9111 section 5.2.2.1).
    package let lifetime: Duration?
    /// The minimum time between two successful requests of one client; nil if there is no limit.
    package let pollingInterval: Duration?
    /// True if its declaration has `Cache-Control`, and also lists it among the fields of its responses.
    let isDeclared: Bool

    /// The kind of entity tag (RFC 9110 section 8.8.3) in its 200 responses.
    package enum Validator: Sendable {
      case none, weak, strong
    }

    private init(
      _ validator: Validator, evaluatesPreconditions: Bool = true, declared: String?, implied: String = "no-cache",
      pollingInterval: Duration? = nil
    ) {
      self.validator = validator
      self.evaluatesPreconditions = evaluatesPreconditions
      cacheControl = declared ?? implied
      cacheControlField = Array("Cache-Control: \(cacheControl)\r\n".utf8)
      lifetime = CacheDirectives(cacheControl).lifetime
      self.pollingInterval = pollingInterval
      isDeclared = declared != nil
    }

    /// Returns the caching of an operation whose responses have a tag.
    ///
    /// - Parameter cacheControl: The real service's `Cache-Control`; nil if it sent none.
    package static func tagged(
      _ validator: Validator, cacheControl: String? = nil, pollingInterval: Duration? = nil
    ) -> Caching {
      Caching(validator, declared: cacheControl, pollingInterval: pollingInterval)
    }

    /// Returns the caching of an operation without a tag in its responses, whose preconditions are compared with the tag of GET at
    /// its path.
    package static func conditional(cacheControl: String? = nil) -> Caching { Caching(.none, declared: cacheControl) }

    /// Returns the caching of an operation at a path without a tag.
    package static func untagged(cacheControl: String? = nil) -> Caching {
      Caching(.none, evaluatesPreconditions: false, declared: cacheControl)
    }

    /// Returns the caching with another value of `Cache-Control`, unless its declaration has one.
    func orElse(_ implied: String) -> Caching {
      if isDeclared { return self }
      return Caching(
        validator, evaluatesPreconditions: evaluatesPreconditions, declared: nil, implied: implied,
        pollingInterval: pollingInterval)
    }
  }
}
