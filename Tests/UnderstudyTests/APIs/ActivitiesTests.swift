import Contract
import JSON
import Testing

@testable import Services
@testable import Understudy

@Suite struct ActivitiesTests {
  var log: Acting<CallLog>

  init() throws { log = try Acting(CallLog.self) }

  @Test mutating func theListIsByteForByteWhatUpstreamServed() throws {
    #expect(
      try log.ask("listActivities").text == """
        [{"id":7834,"created_at":"2018-04-19T09:38:41.000Z","direction":"outbound","from":"Pierre-Baptiste Béchu",\
        "to":"06 46 62 12 33","via":"NYC Office","duration":"120","is_archived":false,"call_type":"missed"},\
        {"id":7833,"created_at":"2018-04-18T16:59:48.000Z","direction":"outbound","from":"Jonathan Anguelov",\
        "to":"06 45 13 53 91","via":"NYC Office","duration":"60","is_archived":false,"call_type":"missed"},\
        {"id":7832,"created_at":"2018-04-18T16:53:22.000Z","direction":"inbound","from":"06 19 18 23 92",\
        "to":"Jonathan Anguelov","via":"Support FR","duration":"180","is_archived":false,"call_type":"answered"},\
        {"id":7831,"created_at":"2018-04-18T16:42:55.000Z","direction":"inbound","from":"06 34 45 74 34",\
        "to":"Xavier Durand","via":"Support FR","duration":"180","is_archived":false,"call_type":"answered"},\
        {"id":7830,"created_at":"2018-04-18T16:23:43.000Z","direction":"inbound","from":"+33 6 34 45 74 34",\
        "to":null,"via":"Support FR","duration":"120","is_archived":false,"call_type":"voicemail"},\
        {"id":7829,"created_at":"2018-04-18T15:43:32.000Z","direction":"inbound","from":"+33 6 34 45 74 34",\
        "to":"Olivier Pailhes","via":"Spain Hotline","duration":"300","is_archived":false,"call_type":"answered"}]
        """)
  }

  @Test mutating func aCallIsFoundByItsExactNumberOnly() throws {
    #expect(try log.ask("getActivity", ["7830"]).json()["to"] == .null)
    for id in ["1", "07830", "+7830", "7830.0", "x", ""] {
      #expect(try log.ask("getActivity", [id]).status == 404)
    }
  }

  @Test("only the first of two equal writes changes a call", arguments: ["updateActivity", "patchActivity"])
  func onlyTheFirstOfTwoEqualWritesChangesACall(operation: String) throws {
    var log = log
    #expect(try log.ask(operation, ["7834"], body: #"{"is_archived":true}"#).changed)
    for body in [#"{"is_archived":true}"#, "{}"] { #expect(try !log.ask(operation, ["7834"], body: body).changed) }
    #expect(try log.ask(operation, ["7834"], body: #"{"is_archived":false}"#).changed)
  }

  @Test func callsThatWereArchivedInTheDataStaySoAfterAReset() throws {
    let archived = JSONValue.object(
      JSONValue.Object((log.state.data.array?.first?.object?.members ?? []))
    )
    .merging(["is_archived": true])
    var log = try Acting<CallLog>(data: [archived])
    #expect(try !log.ask("resetActivities").changed)
    _ = try log.ask("updateActivity", ["7834"], body: #"{"is_archived":false}"#)
    #expect(try log.ask("resetActivities").changed)
    #expect(try log.ask("getActivity", ["7834"]).json()["is_archived"] == true)
  }
}
