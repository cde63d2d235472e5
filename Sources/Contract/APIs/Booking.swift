import JSON
import Primitives

extension API {
  /// Meeting rooms with a number of spots each.
  package static let booking = API(
    name: "booking",
    title: "Booking",
    about: "Rooms with spots to book, and a picture of each room.",
    hosts: ["wetransfer.github.io"],
    errors: .unsuccessfulProblem,
    operations: [
      listBookingRooms, listBookingRoomsByBrief, followBookingRooms, bookRoom, bookRoomByFile, askToBook,
      askToBookByFile, getRoomImage,
    ],
    data: .bookingData, records: Records(in: "rooms", namedBy: "name"))

  /// The maximum number of rooms in the data: every change of one shows all of them to the streams that follow them.
  package static let maximumBookingRooms = 1_000

  private static let roomCaching = "max-age=600"
  private static let imageCaching = "max-age=315360000, immutable"

  private static let listBookingRooms = list(
    "listBookingRooms", "/rooms.json", about: "This is the path of the real service.", isMerged: true)

  private static let listBookingRoomsByBrief = list(
    "listBookingRoomsByBrief", "/rooms",
    about:
      "The same as `/rooms.json`. Only the API's own origin has it: elsewhere `/rooms` belongs to House.",
    isMerged: false)

  private static func list(_ id: String, _ path: PathTemplate, about: String, isMerged: Bool) -> Operation {
    let fields: [DeclaredField] = [.etag, .cacheControl(roomCaching)]
    return Operation(
      id, .get, path,
      semantics: .changesNothing(isMerged: isMerged, hasLinks: true),
      caching: .tagged(.strong, cacheControl: roomCaching),
      effect: .readsAll,
      documentation: .init(
        summary: "All rooms",
        about: about,
        responses: [
          .json(
            "All rooms.", .bookingRooms,
            examples: [JSONExample("two", "A room with spots, and a full one", .twoRooms)], fields: fields),
          .notModified(fields),
          .preconditionFailed(.bookingProblem),
        ]))
  }

  private static let followBookingRooms = Operation(
    "followBookingRooms", .get, "/rooms/stream",
    semantics: .changesNothing(hasLinks: true), caching: .untagged(cacheControl: "no-store"), effect: .readsAll,
    documentation: .init(
      summary: "All rooms as a live stream",
      about: """
        Server-sent events: one with all rooms at once, and one after each change. The `id` of an event is the entity tag of \
        `/rooms.json` without its quotes, and its `data` is the body of `/rooms.json`. A client that lost its connection \
        sends the last `id` as `Last-Event-ID`, and gets the rooms at once only if they have changed since. If the request's \
        plan has a pace, or a fault without `events` that needs a whole response, the stream ends after its first event.
        """,
      parameters: Parameter.lastEvent,
      responses: [
        DeclaredResponse(
          200, "The stream. It continues until either side ends it.",
          content: [
            DeclaredResponse.Content(
              "text/event-stream", .roomsEvent,
              examples: [
                JSONExample(
                  "rooms", ["event": "rooms", "id": "cbf29ce484222325", "data": .string(JSONValue.twoRooms.text)])
              ])
          ], fields: [.cacheControl("no-store"), .unbuffered])
      ]))

  private static let bookRoom = book("bookRoom", "/book", about: "")
  private static let bookRoomByFile = book(
    "bookRoomByFile", "/bookRoom.json", about: "The same as `/book`, at the path of the real service. ")

  private static func book(_ id: String, _ path: PathTemplate, about: String) -> Operation {
    Operation(
      id, .post, path,
      semantics: .changesState(),
      caching: .untagged(cacheControl: bookingCaching),
      effect: .takes("spots", of: .member("name")),
      documentation: .init(
        summary: "Book a spot in a room",
        about: about + """
          Books one spot in the named room. Without a name, or with null, the response is the same and nothing is booked, \
          as in the real service. The body is read as JSON, whatever `Content-Type` says, and other keys are ignored. \
          A tag in `If-Match` gives 412, because a booking has no tag.
          """,
        body: RequestBody(
          .bookingRequest, required: false,
          examples: [JSONExample("room", "A room by its name", ["name": "Ljerka"])]),
        responses: [
          booked,
          .problem(
            .refusal(of: ["name": ""], by: .bookingRequest),
            "The body is not a JSON object, or the name is empty or not a string.", .bookingProblem),
          .problem(.unknownRoom("Mina"), "No room has this name.", .bookingProblem),
          .problem(.fullRoom("Alexis"), "The room has no free spot.", .bookingProblem),
          .tagUnknown(.bookingProblem),
        ]))
  }

  private static let askToBook = ask("askToBook", "/book")
  private static let askToBookByFile = ask("askToBookByFile", "/bookRoom.json")

  private static func ask(_ id: String, _ path: PathTemplate) -> Operation {
    Operation(
      id, .get, path,
      semantics: .changesState(onlyWith: "name"),
      caching: .untagged(cacheControl: bookingCaching),
      effect: .takes("spots", of: .member("name")),
      documentation: .init(
        summary: "Book a spot in a room by GET",
        about: """
          The real service accepted bookings by GET, and most of its clients book this way. Like POST it is a write: it \
          books one spot in the room `name`. Without `name` the response is the same and nothing is booked; the journal \
          records this. HEAD books nothing.
          """,
        parameters: [
          Parameter(
            "name", in: .query, "The name of the room. It must not be empty, and must not be repeated.",
            schema: .string(minimumLength: 1), example: JSONExample("room", "Ljerka"))
        ],
        responses: [
          booked,
          .problem(
            .parameter("name", "expected the name of one room"), "The name is empty or repeated.",
            .bookingProblem),
          .problem(.unknownRoom("Mina"), "No room has this name.", .bookingProblem),
          .problem(.fullRoom("Alexis"), "The room has no free spot.", .bookingProblem),
          .tagUnknown(.bookingProblem),
        ]))
  }

  private static let bookingCaching = "no-store"

  private static let booked = DeclaredResponse.json(
    "The spot is booked; without a name, nothing was booked.", .booked,
    examples: [JSONExample("booked", ["success": true])], fields: [.cacheControl(bookingCaching)])

  private static let getRoomImage = Operation(
    "getRoomImage", .get, "/image/{room}",
    caching: .tagged(.strong, cacheControl: imageCaching),
    documentation: .init(
      summary: "The picture of a room",
      about: """
        A picture never changes and may be cached for ten years. Most are landscape, some are portrait.
        """,
      parameters: [
        Parameter(
          "room", in: .path, "The name of the room.", schema: .string(minimumLength: 1),
          example: JSONExample("room", "Ljerka"))
      ],
      responses: [
        DeclaredResponse(
          200, "The picture.",
          content: [
            DeclaredResponse.Content(
              "image/png", .string(format: .binary), examples: [JSONExample("room", at: "/image/Ljerka")])
          ],
          fields: imageFields),
        .notModified(imageFields),
        .problem(.unknownRoom("Mina"), "No room has this name.", .bookingProblem),
        .preconditionFailed(.bookingProblem),
      ]))

  private static let imageFields: [DeclaredField] = [.etag, .cacheControl(imageCaching)]
}

extension Schema {
  private static let bookingRoom = Schema.object([
    Property("name", .string(minimumLength: 1)),
    Property("spots", .integer(0...1_000_000).described("The number of spots that can still be booked.")),
    Property("thumbnail", .string(format: .uri)),
  ]).named("BookingRoom")

  fileprivate static let bookingRooms = Schema.object(
    [Property("rooms", .array(of: bookingRoom))]
  ).named("BookingRooms")

  fileprivate static let roomsEvent = Schema.object([
    Property("event", .constant("rooms")), Property("id", .string(minimumLength: 1)),
    Property("data", .string().described("All rooms, as JSON.")),
  ]).named("RoomsEvent")

  fileprivate static let booked = Schema.object([Property("success", .constant(true))]).named("Booked")

  package static let bookingRequest = Schema.object(
    [.optional("name", .string(minimumLength: 1).orNull)], additional: .allowed
  ).named("BookingRequest")

  /// A request with an HTTP syntax error never reaches the API and gets a `Problem`; the document lists both for 400.
  static let bookingProblem = problem(named: "BookingProblem", first: [Property("success", .constant(false))])

  static let bookingData = Schema.object([
    Property(
      "rooms",
      .array(
        of: .object([
          Property("name", .string(minimumLength: 1)),
          Property("spots", .integer(0...1_000_000)),
          .optional("portrait", .boolean.described("True if the picture's height is greater than its width.")),
        ]), count: 0...API.maximumBookingRooms))
  ]).named("BookingData")
}

extension JSONValue {
  fileprivate static let twoRooms: JSONValue = [
    "rooms": [
      ["name": "Ljerka", "spots": 43, "thumbnail": "http://localhost:8080/image/Ljerka"],
      ["name": "Alexis", "spots": 0, "thumbnail": "http://localhost:8080/image/Alexis"],
    ]
  ]
}
