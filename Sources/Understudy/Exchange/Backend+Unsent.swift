import Report

extension Backend {
  /// A response that may not be sent completely.
  struct Unsent {
    let sandbox: Sandbox
    /// The id of its exchange in the sandbox's journal.
    let id: Int
    /// Its end in the output.
    let end: Int
  }

  /// Records that responses were not sent completely.
  func recordUnsent(_ responses: [Unsent]) {
    for response in responses where response.sandbox.journal.entry(response.id)?.outcome == .sent {
      response.sandbox.journal.update(response.id) { $0.outcome = .peerGone }
    }
  }
}
