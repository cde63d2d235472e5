package import Contract
import Primitives

/// The properties of a route that the report needs with each of its requests; computed once.
///
/// A class, so that each observation of the route holds one reference.
package final class Subject: Sendable {
  /// The operation, if the route has one.
  package let operation: Contract.Operation?
  /// The hash of API and canonical path, which a retry, a later write and a re-read share.
  package let pathHash: UInt64
  /// True if its requests change no record, so that the route says all that they mean.
  package let isRead: Bool
  /// The meaning of a read; nil for other operations.
  let readIntent: Intent?
  /// The record that the path names; nil if it names none.
  package let named: Record?
  /// True if its responses have entity tags.
  package let isTagged: Bool
  /// True if its responses may be reused for some time.
  package let isCached: Bool
  /// The traits of all its exchanges.
  let traits: Traits
  /// True if its response is a stream of events.
  package let isStream: Bool
  /// True if its requests take from a counter of a record.
  let isTaking: Bool
  /// True if its API has no records of its own, but those that paths name.
  let isOfUnknownAPI: Bool
  /// The operations of which a file of semantics says that a response of this one shows what became of them.
  package let shows: [Contract.Operation]

  /// A route of which nothing is known.
  package static let unknown = Subject(nil, api: nil, arguments: [], path: "")

  /// Computes the properties of a route.
  ///
  /// - Parameters:
  ///   - operation: The operation; nil if the route has none.
  ///   - api: The API's index in the catalogue.
  ///   - arguments: The values of the variables in the operation's path.
  ///   - path: The path without labels, decoded.
  ///   - shows: The operations of which its responses show what became.
  package init(
    _ operation: Contract.Operation?, api: Int?, arguments: [String], path: String, shows: [Contract.Operation] = []
  ) {
    self.operation = operation
    self.shows = shows
    guard let operation, let api else {
      (pathHash, isRead, readIntent, named) = (0, false, nil, nil)
      (isTagged, isCached, traits, isStream, isTaking, isOfUnknownAPI) = (false, false, .any, false, false, false)
      return
    }
    pathHash = Self.pathHash(api, Array(path.utf8)[...])
    isTagged = operation.caching.validator != .none
    isCached = operation.caching.lifetime != nil
    isStream = operation.semantics.isStream
    isTaking = operation.effect.counter != nil
    traits = Traits.any.union(operation.isTimed ? .timed : []).union(isStream ? .stream : [])
    let kind = operation.effect.kind
    isRead = !operation.semantics.changesState && (kind == .reads || kind == .none)
    let declared = API.declared(at: api)
    let isUnknown = operation.isOfUnknownAPI
    isOfUnknownAPI = isUnknown
    named = operation.recordName(arguments, nil).map { Record(declared?.name ?? "", $0, isPath: isUnknown) }
    readIntent = kind == .reads ? named.map { Intent(.reads, of: $0) } ?? Intent(.reads, record: nil) : nil
  }

  package static func pathHash(_ api: Int?, _ path: ArraySlice<UInt8>) -> UInt64 {
    UInt64(api ?? 255).mixed(with: Observation.hash(path))
  }
}

extension Subject {
  /// A record that a request names.
  ///
  /// A class, because the exchanges with a record share it.
  package final class Record: Sendable {
    package let api: String
    package let id: String
    /// The hash of the id.
    let hash: UInt64
    /// The hashes of the records that contain it: of the paths above its own.
    let containers: [UInt64]

    /// - Parameter isPath: True if the id is a path, so that the record is a part of those above it.
    package init(_ api: String, _ id: String, isPath: Bool = false) {
      self.api = api
      self.id = id
      hash = Observation.hash(id)
      containers = isPath ? Self.containers(of: id) : []
    }

    /// A longer path is a part of the first ones only.
    private static let maximumContainers = 32

    private static func containers(of path: String) -> [UInt64] {
      guard path != "/" else { return [] }
      let slashes = path.utf8.indices.filter { path.utf8[$0] == UInt8(ascii: "/") }.prefix(maximumContainers)
      return slashes.map { slash in
        Observation.hash(slash == path.startIndex ? "/" : String(path[..<slash]))
      }
    }
  }
}

extension Contract.Operation {
  /// True if it limits how often it is asked, or how long its response may be reused.
  var isTimed: Bool { caching.lifetime != nil || caching.pollingInterval != nil }
}
