import Foundation
import LiveTesting

@testable import Report

/// A warning that clients which behave well may get, with the words by which the page about the checks announces it.
struct AnnouncedWarning {
  let check: String
  /// A part of the check's sentence.
  let sentence: String
  /// A part of the check's section on the page.
  let page: String

  static let all = [
    Self(NoDuplicateEffect.id, "because the transport repeated", "because the transport repeated it"),
    Self(NoDuplicateEffect.id, "if each of them was meant", "followed by a look"),
    Self(NoDuplicateEffect.id, "differs by a time or a random id alone", "with another time or random id in it"),
    Self(NoDuplicateEffect.id, "the backend carried out both", "POST warns; PUT, PATCH and DELETE pass"),
    Self(LostReplyFollowedUp.id, "repeated only after more than 30 s", "a later one"),
    Self(LostReplyFollowedUp.id, "nothing but a poll that was running before", "only a poll that ran before"),
    Self(LostReplyFollowedUp.id, "if the reads of another User-Agent", "only a look by another User-Agent"),
    Self(LostReplyFollowedUp.id, "whose content never came", "whose content never came"),
    Self(LostReplyFollowedUp.id, "before the sandbox was reset", "a reset of the sandbox cuts the time short"),
    Self(LostReplyFollowedUp.id, "declare it by --semantics", "POST warns"),
    Self(NoRetryOf4xx.id, "sent again unchanged", "a refused write repeated within a second"),
    Self(GaveUpAtOnce.id, "not tried again within 30 s", "no further attempt within 30 seconds"),
    Self(GaveUpAtOnce.id, "not tried again before the run ended", "or before the end"),
    Self(ConditionalRequests.id, "fetched completely three times", "three complete responses with the same tag"),
    Self(Freshness.id, "before max-age had expired", "three earlier requests"),
    Self(FaultsDelivered.id, "never took effect", "the run was too short, or sent other requests"),
    Self(FaultsDelivered.id, "not apply to the backend", "no rule applies to the backend"),
    Self(BackoffGrows.id, "drawn at random, and came out so by chance", "waits that shrink, perhaps by chance"),
    Self(BackoffGrows.id, "almost at once", "single retries at once"),
    Self(RetryAmplification.id, "more than 5 attempts", "six to eight"),
    Self(RetryAmplification.id, "One retry loop ran within another", "a retry loop within another"),
    Self(LostUpdate.id, "replaced another client's change", "a write over another client's unread change"),
    Self(DamagedReplyTrusted.id, "neither repeated nor checked", "neither after a captive portal's page"),
    Self(DamagedReplyTrusted.id, "it does so after successes", "by a client that sends equal writes after"),
    Self(TimeoutsSane.id, "that did not come", "a longer or shorter wait"),
    Self(TimeoutsSane.id, "merely slow", "nearly every slow response given up"),
    Self(NoStampede.id, "nearly all that tried again", "ten clients in the same 100 milliseconds"),
    Self(StreamResumed.id, "without Last-Event-ID", "repeatedly reopened without `Last-Event-ID`"),
    Self(NoDuplicateEffect.id, "under another Idempotency-Key", "under a key of its own"),
    Self(NoDuplicateEffect.id, "sent again before the client knew", "perhaps by another client"),
    Self(RetryAfterHonoured.id, "the Retry-After of a 429 had passed", "three other requests while a 429 asks to wait"),
    Self(StreamResumed.id, "it had perhaps not received", "the id of an incomplete event, perhaps by another client"),
    Self(RetryAfterHonoured.id, "before Retry-After allowed it", "an earlier retry, perhaps of another client"),
    Self(RetryAfterHonoured.id, "had been sent before the response came", "sent before the response came"),
    Self(KeysKept.id, "with a result other than", "another `Location`, `id` or content for a write with the same key"),
    Self(PollingInterval.id, "after the last request", "a shorter interval"),
  ]

  private init(_ check: String, _ sentence: String, _ page: String) {
    (self.check, self.sentence, self.page) = (check, sentence, page)
  }

  /// Returns true if a warning, as `id: sentence`, is announced.
  static func announces(_ warning: String) -> Bool {
    all.contains { warning.hasPrefix("\($0.check): ") && warning.contains($0.sentence) }
  }

  /// Returns true if a text of the page has its words: in its check's section, or in the row of a table about the check.
  func isOn(_ page: String) -> Bool {
    let text = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let parts = text.components(separatedBy: "### ").filter { $0.hasPrefix(check + " ") }
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(check)`") }.map(String.init)
    return (parts + rows).contains { $0.contains(self.page) }
  }
}
