/// A model with a copy of a list, which it requests from the server.
protocol RefreshedModel: Actor {
  associatedtype Element: Codable & Equatable & Sendable

  var client: BackendClient { get }
  var copy: ServerCopy<[Element]> { get set }
  /// Sends the state to those who listen to it.
  func publish()
}

extension RefreshedModel {
  /// Requests the list. If a change was confirmed in the meantime, by this or another model, the response may be older
  /// than it, and the list is requested again: at most three times, because where changes never pause, what is shown is
  /// newer than each response.
  ///
  /// - Parameter order: Puts the list into the model's order.
  /// - Returns: False if the response is not shown, because a newer one is.
  @discardableResult
  func fetch(
    _ call: Call<[Element]>, inOrder order: ([Element]) -> [Element] = { $0 }
  ) async throws(RequestError) -> Bool {
    for _ in 1...3 {
      let refresh = copy.beginRefresh()
      publish()
      do throws(RequestError) {
        let fetched = try await client.perform(call).fetched
        guard !copy.isOvertaken(refresh) else {
          copy.drop(refresh)
          continue
        }
        let list = order(fetched.value)
        let isShown = copy.end(refresh, at: fetched.date, isCopy: fetched.source == .cache) { $0 = list }
        publish()
        return isShown
      } catch {
        copy.end(refresh, with: error)
        publish()
        throw error
      }
    }
    publish()
    return false
  }
}
