import Contract
import JSON
import Services

// A response stored under an idempotency key, as JSON. After a restart a retry must get it byte for byte.

extension Idempotency.Key {
  var json: JSONValue { .array([.string(method), .string(path), .string(text)]) }

  init?(json: JSONValue) {
    let parts = json.array?.compactMap(\.string) ?? []
    guard parts.count == 3 else { return nil }
    self.init(method: parts[0], path: parts[1], text: parts[2])
  }
}

extension Idempotency.Record {
  var json: JSONValue {
    ["body": .array([.int(content.count), content.tag.json]), "reply": response.persistedJSON]
  }

  init?(json: JSONValue) {
    guard let parts = json["body"]?.array, parts.count == 2, let count = parts[0].int,
      let tag = EntityTag(json: parts[1]), let response = json["reply"].flatMap(Response.init(persistedJSON:))
    else { return nil }
    self.init(content: KeyedContent.Digest(count: count, tag: tag), response: response)
  }
}

extension EntityTag {
  fileprivate var json: JSONValue { .int(Int(bitPattern: UInt(hash))) }

  fileprivate init?(json: JSONValue) {
    guard let hash = json.int else { return nil }
    self.init(hash: UInt64(UInt(bitPattern: hash)), isWeak: false)
  }
}

extension Response {
  fileprivate var persistedJSON: JSONValue {
    var object = JSONValue.Object([JSONValue.Member("status", .int(status))])
    if let representation {
      object["type"] = .string(representation.mediaType.rawValue)
      object["body"] = .string(String(decoding: representation.bytes, as: UTF8.self))
      object["tag"] = representation.tag.json
    }
    if !fields.isEmpty { object["fields"] = .array(fields.map { .array([.string($0.name), .string($0.value)]) }) }
    object["remark"] = remark.map { .string($0) }
    object["problem"] = problem?.persistedJSON
    return .object(object)
  }

  fileprivate init?(persistedJSON json: JSONValue) {
    guard let status = json["status"]?.int else { return nil }
    self.init(status)
    if let text = json["body"]?.string {
      guard let type = json["type"]?.string.flatMap(MediaType.init(rawValue:)),
        let tag = json["tag"].flatMap(EntityTag.init(json:))
      else { return nil }
      representation = Representation(Array(text.utf8), type, tag: tag)
    }
    for field in json["fields"]?.array ?? [] {
      let sides = field.array?.compactMap(\.string) ?? []
      guard sides.count == 2 else { return nil }
      fields.append(ResponseField(sides[0], sides[1]))
    }
    remark = json["remark"]?.string
    if let persisted = json["problem"] {
      guard let read = Problem(persistedJSON: persisted) else { return nil }
      problem = read
    }
  }
}

extension Problem {
  fileprivate var persistedJSON: JSONValue {
    var object = JSONValue.Object([
      JSONValue.Member("status", .int(status)), JSONValue.Member("kind", .string(kind)),
      JSONValue.Member("title", .string(title)),
      JSONValue.Member("detail", .string(detail)),
    ])
    if !errors.isEmpty {
      object["errors"] = .array(errors.map { .array([.string($0.pointer.description), .string($0.detail)]) })
    }
    if furtherErrors > 0 { object["furtherErrors"] = .int(furtherErrors) }
    object["type"] = type.map { .string($0) }
    if !violatedPolicies.isEmpty { object["policies"] = .array(violatedPolicies.map(JSONValue.string)) }
    return .object(object)
  }

  fileprivate init?(persistedJSON json: JSONValue) {
    guard let status = json["status"]?.int, let kind = json["kind"]?.string, let title = json["title"]?.string,
      let detail = json["detail"]?.string
    else { return nil }
    self.init(status, kind, title, detail)
    for error in json["errors"]?.array ?? [] {
      let sides = error.array?.compactMap(\.string) ?? []
      guard sides.count == 2 else { return nil }
      errors.append(ValidationError(JSONPointer(written: sides[0]), sides[1]))
    }
    furtherErrors = json["furtherErrors"]?.int ?? 0
    type = json["type"]?.string
    violatedPolicies = json["policies"]?.array?.compactMap(\.string) ?? []
  }
}
