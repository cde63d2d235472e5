extension Backend {
  /// A reply that may not get out.
  struct Unsent {
    let sandbox: Sandbox
    /// Its exchange's id in the sandbox's journal.
    let id: Int
    /// Where it ends in the output.
    let end: Int
  }

  /// Notes that replies which were on their way did not all get out.
  func lose(_ replies: [Unsent]) {
    for reply in replies where reply.sandbox.journal.entry(reply.id)?.outcome == .sent {
      reply.sandbox.journal.update(reply.id) { $0.outcome = .peerGone }
    }
  }
}
