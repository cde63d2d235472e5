extension API { package static let control = API(name: "control", title: "", about: "", operations: [], data: .any) }
