import Contract
import Faults
import HTTP1
import Primitives
import Report
import Services

/// One request, its target and its plan, decided before the request is performed.
///
/// It has one owner: its caller, and while it waits the connection's `Progress`. It is moved, which still costs a copy of
/// its memory.
struct Exchange: ~Copyable {
  let request: Request
  /// The method, if it is a known one, and the known names among the request's fields. They are stored here, too, because
  /// reading them from `request` would copy the whole of it.
  let method: Method?
  private let fieldNames: FieldName.Names
  let link: Link
  /// The instant at which the request was complete.
  let arrival: MonotonicInstant
  /// The ordinal of the request among all received requests.
  let ordinal: Int
  /// True if the request was refused before all of it had been read: it gets no plan, and is not counted in its stream.
  let isIncomplete: Bool
  /// True if the request is a write as its client sees it, even if its data is not stored. HEAD never is.
  private(set) var isWrite = false
  var address: Address
  var sandbox: Sandbox?
  var plan = Plan.none { didSet { isPlanned = !plan.isEmpty } }
  /// True if the plan has an effect; most readers ask only this.
  private(set) var isPlanned = false
  /// The fields that report its plan, if they were prepared before it waited.
  var planFields: [UInt8]?
  /// The request's id in its sandbox's journal; 0 if it gets no entry.
  var id = 0
  /// The ordinal of the request in its stream; 0 if it is not counted.
  var n = 0
  /// The advance of the sandbox's clock when the request arrived.
  var advanced = NanosecondDuration.zero
  private var details: Details?

  /// Creates an exchange.
  ///
  /// - Parameters:
  ///   - ordinal: The ordinal of the request among all received requests.
  ///   - isIncomplete: True if the request is refused before all of it has been read.
  init(
    _ request: consuming Request, by link: Link, to address: consuming Address, arrival: MonotonicInstant,
    ordinal: Int, isIncomplete: Bool
  ) {
    method = request.knownMethod
    fieldNames = request.knownFields
    self.request = request
    self.address = address
    self.link = link
    self.arrival = arrival
    self.ordinal = ordinal
    self.isIncomplete = isIncomplete
    if address.destination.canWrite, !isHead { isWrite = operation?.isWrite { query.has($0) } == true }
  }

  /// The properties that most exchanges do not have, stored separately so that most exchanges are small.
  private final class Details {
    var refusal: Response?
    var replayOf: Int?
    var replays = 0
    var preference: PreferenceField?
    var inFlightKey: Idempotency.Key?
    var isRepeatedAfterRollback = false
    /// The number of rollbacks before its work; nil if it has not waited for work.
    var rollbackCount: Int?
    var shownVersion: Int?
    var meaning: Meaning?
    var clientHasLeft = false
    var rest: ContentPipe?
    var declaredKey: UInt64?
  }

  /// True if there is anything unusual about it.
  var hasDetails: Bool { details != nil }

  /// Returns its details, to change them.
  private mutating func changeableDetails() -> Details {
    if let details { return details }
    let new = Details()
    details = new
    return new
  }

  /// The refusal that was decided by the head alone, independent of the content.
  var refusal: Response? {
    get { details?.refusal }
    set { changeableDetails().refusal = newValue }
  }

  /// Refuses the request in place of its plan.
  mutating func refuse(with refusal: Response) {
    self.refusal = refusal
    plan = .none
    planFields = nil
  }

  /// The number of stored bytes of the request, with those of further ones that arrived together with it.
  var requestBytes: Int { request.bytes.count }

  /// The entry whose request a client's transport sent again.
  var replayOf: Int? { details?.replayOf }

  /// The number of times that a transport had sent it before.
  var replays: Int { details?.replays ?? 0 }

  /// Records that a client's transport sent an earlier request again.
  mutating func repeats(_ entry: Int, times: Int) {
    let details = changeableDetails()
    (details.replayOf, details.replays) = (entry, times)
  }

  /// The request's preferences in `Prefer`; nil if it has none of this server.
  var preference: PreferenceField? {
    get { details?.preference }
    set { changeableDetails().preference = newValue }
  }

  /// The idempotency key that is in flight until the request is applied.
  var inFlightKey: Idempotency.Key? {
    get { details?.inFlightKey }
    set { changeableDetails().inFlightKey = newValue }
  }

  /// The hash of the text that identifies the logical write, where a file of semantics names its place.
  var declaredKey: UInt64? {
    get { details?.declaredKey }
    set { changeableDetails().declaredKey = newValue }
  }

  /// The version of the state that its response shows, if it was rendered on another thread.
  var shownVersion: Int? {
    get { details?.shownVersion }
    set { changeableDetails().shownVersion = newValue }
  }

  /// The meaning of its body for the report, if it was evaluated on another thread.
  var meaning: Meaning? {
    get { details?.meaning }
    set { changeableDetails().meaning = newValue }
  }

  /// True if its client has left while its work has gone on.
  var clientHasLeft: Bool {
    get { details?.clientHasLeft == true }
    set { changeableDetails().clientHasLeft = newValue }
  }

  /// The content after the part that the request has; nil if it is complete.
  var rest: ContentPipe? {
    get { details?.rest }
    set { changeableDetails().rest = newValue }
  }

  /// The number of rollbacks before its work; nil if it has not waited for work.
  var rollbackCount: Int? { details?.rollbackCount }

  /// Records that it waits for work.
  mutating func awaitsWork(since rollbackCount: Int) { changeableDetails().rollbackCount = rollbackCount }

  /// True if it is performed again, because the state that it had read was rolled back. It has waited as planned.
  var isRepeatedAfterRollback: Bool { details?.isRepeatedAfterRollback == true }

  /// Discards what was computed from a state that was rolled back.
  mutating func repeatAfterRollback() {
    let details = changeableDetails()
    (details.shownVersion, details.meaning) = (nil, nil)
    details.isRepeatedAfterRollback = true
  }

  /// True if the sandbox's network switch holds its response. Exchanges with the control API have no entry, and are
  /// never held.
  var isResponseHeld: Bool { id > 0 && sandbox?.traffic.holdsResponses == true }

  /// True if the network switch has held its response.
  var wasHeld: Bool { entry.map { sandbox, id in sandbox.traffic.journal.entry(id)?.network == .held } == true }

  /// The sandbox and the id of its entry in the journal; nil if it has none.
  var entry: (Sandbox, Int)? { sandbox.flatMap { id > 0 ? ($0, id) : nil } }

  /// True if the network switch was offline when the request arrived.
  var metOutage: Bool { isPlanned && plan.isOutage }

  /// True for HEAD: its response has the head of the response to GET, and no body (RFC 9110 section 9.3.2).
  var isHead: Bool { method == .head }

  var destination: ResolvedRoute { address.destination }

  var target: ResolvedRoute.Target { destination.target }

  /// The requested operation, if there is one.
  var operation: Contract.Operation? { destination.operation }

  /// True if the request may change the sandbox's state.
  var changesState: Bool {
    isWrite && traits.contains(.keepsState) && operation?.semantics.changesState == true
  }

  var query: Query {
    guard let range = request.query else { return Query() }
    return Query(parsing: request.bytes[range])
  }

  /// The content that requests with the same `Idempotency-Key` must share.
  var keyedContent: KeyedContent {
    guard operation?.method.isSafe == true else {
      return KeyedContent(
        body: request.bytes[request.body], type: bytes(of: .contentType), coding: bytes(of: .contentEncoding))
    }
    return KeyedContent(query: request.query.map { request.bytes[$0] } ?? [])
  }

  /// The id of the last event that the reader of a stream has: in `Last-Event-ID`, or in the query, because a page's
  /// `EventSource` can set no field for its first request.
  var lastEventID: String? {
    text(of: .lastEventID) ?? (request.query == nil ? nil : query.lastEventID)
  }

  /// The delay that the query requests in milliseconds, if the API has a parameter for it; others are ignored.
  var requestedDelay: Int? {
    guard operation != nil, let parameter = destination.delayParameter else { return nil }
    return query[parameter].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns true if the request has a field of this name.
  func has(_ name: FieldName) -> Bool { fieldNames.contains(name) }

  /// Returns the request's first field of this name.
  func first(_ name: FieldName) -> Field? { has(name) ? request.first(name) : nil }

  /// Returns the values of the request's fields of this name, combined into one.
  func combined(_ name: FieldName) -> String? { has(name) ? request.combined(name) : nil }

  /// Returns the value of the request's first field of this name, as sent.
  func bytes(of name: FieldName) -> ArraySlice<UInt8>? { first(name).map { request.bytes[$0.value] } }

  /// Returns the value of the request's first field of this name.
  func text(of name: FieldName) -> String? { first(name).map { request.text($0.value) } }

  /// The value of the request's `Origin` field.
  var origin: ArraySlice<UInt8>? {
    guard let field = first(.origin) else { return nil }
    return request.bytes[field.value]
  }

  /// The API's index in the catalogue, if one was named or found.
  var api: Int? { destination.api }

  /// The properties of the source of its response.
  var traits: RouteSource.Traits { destination.traits }

  /// True if another server is asked for the response.
  var isToBackend: Bool { traits.contains(.isAsked) }

  /// The reason for which the request was refused before all of it had been read.
  var refusalText: String? { isIncomplete ? refusal?.problem?.detail : nil }

  /// Returns its `Idempotency-Key`, scoped to the operation and its arguments; nil if the key has no meaning there,
  /// or if another server stores it.
  func idempotencyKey() throws(Problem) -> Idempotency.Key? {
    guard let field = first(.idempotencyKey), let operation, isWrite, traits.contains(.keepsState),
      case .operation(_, let arguments) = target
    else { return nil }
    let text = request.text(field.value)
    let isOne = request.fields.allSatisfy { $0.known != .idempotencyKey || request.holds($0.value, text) }
    guard isOne, (1...255).contains(text.utf8.count) else { throw .malformedKey }
    let path = ([operation.path.text] + arguments).joined(separator: "\n")
    return Idempotency.Key(method: operation.method.rawValue, path: path, text: text)
  }
}
