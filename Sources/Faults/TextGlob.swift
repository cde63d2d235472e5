/// A text in which `*` matches any run of bytes.
package struct TextGlob: Sendable, Hashable {
  package let text: String
  let pattern: GlobPattern

  package init(_ text: String) {
    self.text = text
    pattern = GlobPattern(text.utf8)
  }
}
