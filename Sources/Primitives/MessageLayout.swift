/// The layout of a written message in the output: the offsets of its parts.
package struct MessageLayout: Sendable, Equatable {
  package let start: Int
  /// The end of the status line.
  package let fields: Int
  package let body: Int
  package let end: Int

  package init(start: Int, fields: Int, body: Int, end: Int) {
    self.start = start
    self.fields = fields
    self.body = body
    self.end = end
  }

  /// The field lines, without the empty line that ends them.
  package var fieldLines: Range<Int> { fields..<max(fields, body - 2) }
}
