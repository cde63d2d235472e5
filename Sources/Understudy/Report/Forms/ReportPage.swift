struct ReportPage {
  let card: ReportCard
  init(_ card: ReportCard) { self.card = card }
  var html: String { "<!doctype html>" }
}
