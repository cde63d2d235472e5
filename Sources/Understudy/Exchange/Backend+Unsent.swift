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
  func lose(_ replies: [Unsent]) {
    for reply in replies where reply.sandbox.journal.entry(reply.id)?.outcome == .sent {
      reply.sandbox.journal.update(reply.id) { $0.outcome = .peerGone }
    }
  }
}
