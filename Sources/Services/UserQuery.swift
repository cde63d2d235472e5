import JSON
import Primitives

/// The parsed query of `/users`, by the rules of json-server 0.x.
struct UserQuery {
  private let query: Query

  init(_ query: Query) { self.query = query }

  struct Page {
    let users: [JSONValue]
    let fields: [ResponseField]
  }

  /// Returns the requested page of users.
  ///
  /// - Parameters:
  ///   - users: All users, in the order of the data.
  ///   - address: The absolute URL of the list, without a query.
  func page(of users: [JSONValue], at address: String) -> Page {
    let paths = UserPath.Tree(of: users)
    var found = users
    if let text = query["q"], !text.isEmpty {
      let needle = text.lowercased()
      found = found.filter { $0.contains(needle) }
    }
    for filter in UserFilter.all(in: query, over: paths) { found = found.filter(filter.allows) }
    return slice(sorted(found, by: paths), at: address)
  }

  private func sorted(_ users: [JSONValue], by paths: UserPath.Tree) -> [JSONValue] {
    guard let keys = query["_sort"], !keys.isEmpty else { return users }
    let orders = (query["_order"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    // A path that no user has, or a repeated path, has no effect.
    var seen: Set<UserPath> = []
    let criteria = keys.split(separator: ",", omittingEmptySubsequences: false).enumerated()
      .map { index, path in
        (path: UserPath(path), isDescending: orders.indices.contains(index) && orders[index].lowercased() == "desc")
      }
      .filter { paths.contains($0.path) && seen.insert($0.path).inserted }
    let values = users.map { user in criteria.map { user.value(at: $0.path) } }
    let ranked = users.indices.sorted { left, right in
      for (index, criterion) in criteria.enumerated() {
        let (first, second) = (values[left][index], values[right][index])
        if JSONValue.isOrdered(first, second) { return !criterion.isDescending }
        if JSONValue.isOrdered(second, first) { return criterion.isDescending }
      }
      return left < right
    }
    return ranked.map { users[$0] }
  }

  /// Returns the requested page: `_page` takes precedence over `_end`, and `_end` over `_limit`. `_start` alone has no
  /// effect.
  private func slice(_ users: [JSONValue], at address: String) -> Page {
    let total = ResponseField("X-Total-Count", String(users.count))
    if let page = given("_page") {
      let number = max(1, Self.integer(page))
      let size = given("_limit").map(Self.integer).flatMap { $0 > 0 ? $0 : nil } ?? 10
      let links = ResponseField("Link", links(page: number, size: size, total: users.count, at: address))
      let start = (number - 1).multipliedReportingOverflow(by: size)
      let rest = start.overflow ? [] : users.dropFirst(start.partialValue)
      return Page(users: Array(rest.prefix(size)), fields: [total, links])
    }
    let start = given("_start").map(Self.integer) ?? 0
    if let end = given("_end") {
      return Page(users: users.sliced(start, Self.integer(end)), fields: [total])
    }
    if let limit = given("_limit") {
      let end = start.addingReportingOverflow(Self.integer(limit))
      return Page(users: users.sliced(start, end.overflow ? .max : end.partialValue), fields: [total])
    }
    return Page(users: users, fields: [])
  }

  private func given(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Reads the number that a text begins with, as JavaScript's `parseInt` does; 0 when it begins with none.
  private static func integer(_ text: String) -> Int {
    let trimmed = text.drop { $0 == " " }
    let digits = trimmed.dropFirst(trimmed.hasPrefix("-") || trimmed.hasPrefix("+") ? 1 : 0)
      .prefix { $0.isASCII && $0.isNumber }.prefix(18)
    return (Int(digits) ?? 0) * (trimmed.hasPrefix("-") ? -1 : 1)
  }

  /// Returns the value of the `Link` field (RFC 8288): the pages around this one, with the rest of the query unchanged.
  private func links(page: Int, size: Int, total: Int, at address: String) -> String {
    let last = max(1, total / size + (total % size == 0 ? 0 : 1))
    var pages = [("first", 1)]
    if page > 1 { pages.append(("prev", min(page - 1, last))) }
    if page < last { pages.append(("next", page + 1)) }
    pages.append(("last", last))
    return pages.map { "<\(address)?\(text(page: $0.1))>; rel=\"\($0.0)\"" }.joined(separator: ", ")
  }

  private func text(page: Int) -> String {
    query.pairs.map { pair in
      let value = pair.name == "_page" ? String(page) : pair.value
      return PercentCoding.encodeSegment(pair.name) + "=" + PercentCoding.encodeSegment(value)
    }.joined(separator: "&")
  }
}

extension [JSONValue] {
  /// Returns the elements from `start` up to `end`, each counted from the end if negative, as in JavaScript's `slice`.
  fileprivate func sliced(_ start: Int, _ end: Int) -> [JSONValue] {
    let first = start < 0 ? Swift.max(0, count + start) : Swift.min(start, count)
    let last = end < 0 ? Swift.max(0, count + end) : Swift.min(end, count)
    return first < last ? Array(self[first..<last]) : []
  }
}
