package import Contract
import Primitives

/// The head of a backend's response as it is sent on: the fields that do not concern one connection only, byte for byte.
package struct ForwardedHead: Sendable {
  package struct Field: Sendable, Equatable {
    package let name: [UInt8]
    package var value: [UInt8]

    package init(name: [UInt8], value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// The reason phrase; nil if the status line has none.
  package var reason: [UInt8]?
  /// The fields except those of the content's type and length.
  package var fields: [Field] = []
  /// The value of `Content-Type`.
  package var contentType: [UInt8]?
  /// The value of `Content-Length` where no content follows, in a response to HEAD and with 304, or where it is passed on.
  package var announcedLength: [UInt8]?

  package init() {}

  /// Returns the index of the first field of this name; `name` is in lower case.
  package func index(of name: String) -> Int? {
    fields.firstIndex { field in
      field.name.count == name.utf8.count && zip(field.name, name.utf8).allSatisfy { Byte.lowercased($0) == $1 }
    }
  }

  /// Returns true if there is a field of this name, which is in lower case.
  package func has(_ name: String) -> Bool { index(of: name) != nil }

  /// Returns the value of the first field of this name, which is in lower case.
  package func value(of name: String) -> String? {
    index(of: name).map { String(decoding: fields[$0].value, as: UTF8.self) }
  }

  /// Removes all fields of this name, which is in lower case.
  package mutating func remove(_ name: String) {
    while let index = index(of: name) { fields.remove(at: index) }
  }

  /// True if no script of a page with this head runs. Data that a fault calls a page must not act as one of the backend; of
  /// several policies each is enforced (Content Security Policy 3, sections 4.2 and 6.3.2).
  private var isSandboxed: Bool {
    fields.contains { field in
      guard String(decoding: field.name, as: UTF8.self).lowercased() == "content-security-policy" else { return false }
      let directives = String(decoding: field.value, as: UTF8.self).split(separator: ";")
      return directives.contains { $0.filter { $0 != " " } == "sandbox" }
    }
  }

  /// Adapts the head to content that a fault changed.
  ///
  /// - Parameters:
  ///   - tag: The tag of the new content; nil if it is sent in the place of the content that the tag identifies.
  ///   - mediaType: The type of the new content; nil if it is that of the original.
  package mutating func adapt(tag: EntityTag?, mediaType: MediaType?) {
    if let mediaType {
      contentType = Array(mediaType.rawValue.utf8)
      if mediaType == .html, !isSandboxed {
        fields.append(Field(name: Array("Content-Security-Policy".utf8), value: Array("sandbox".utf8)))
      }
    }
    guard let index = index(of: "etag") else { return }
    guard let tag else { return remove("etag") }
    let isWeak = fields[index].value.starts(with: "W/".utf8)
    fields[index].value = Array(EntityTag(hash: tag.hash, isWeak: isWeak).text.utf8)
  }
}
