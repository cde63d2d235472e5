// swift-tools-version: 6.2
import PackageDescription

/// The checks that the gate turns on with `UNDERSTUDY_STRICT=1`. They are off in everyone else's build, which must not fail when a
/// later compiler, or another platform, warns.
let checks: [SwiftSetting] =
  Context.environment["UNDERSTUDY_STRICT"] == "1" ? [.strictMemorySafety(), .treatAllWarnings(as: .error)] : []

let language: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + checks

let package = Package(
  name: "understudy",
  platforms: [.macOS(.v14), .iOS(.v16), .tvOS(.v16), .visionOS(.v1)],
  products: [
    .executable(name: "understudy", targets: ["UnderstudyCommand"]),
    .library(name: "Understudy", targets: ["Understudy"]),
    .library(name: "UnderstudyTesting", targets: ["UnderstudyTesting"]),
    .library(name: "UnderstudyClient", targets: ["UnderstudyClient"]),
    .library(name: "UnderstudyInMemory", targets: ["UnderstudyInMemory"]),
    .library(name: "Conformance", targets: ["Conformance"]),
  ],
  targets: [
    .systemLibrary(name: "CEpoll"),
    .target(
      name: "Platform", dependencies: [.target(name: "CEpoll", condition: .when(platforms: [.linux]))],
      swiftSettings: language),
    .target(name: "Primitives", swiftSettings: language),
    .target(name: "JSON", dependencies: ["Primitives"], swiftSettings: language),
    .target(name: "HTTP1", dependencies: ["Primitives"], swiftSettings: language),
    .target(name: "Faults", dependencies: ["JSON", "Primitives"], swiftSettings: language),
    .target(name: "Contract", dependencies: ["JSON", "Primitives"], swiftSettings: language),
    .target(
      name: "ControlAPI", dependencies: ["Contract", "Faults", "JSON", "Primitives"], swiftSettings: language),
    .target(name: "Seeds", swiftSettings: language),
    .target(
      name: "Dashboard", dependencies: ["JSON", "Primitives"], exclude: ["Web"], swiftSettings: language),
    .target(
      name: "Report", dependencies: ["Contract", "Dashboard", "Faults", "JSON", "Primitives"],
      swiftSettings: language),
    .target(
      name: "Services",
      dependencies: ["Contract", "Faults", "JSON", "Primitives", "Seeds"],
      swiftSettings: language),
    .target(
      name: "Understudy",
      dependencies: [
        "Contract", "ControlAPI", "Dashboard", "Faults", "HTTP1", "JSON", "Primitives", "Report", "Services",
        "Platform",
        .target(name: "CEpoll", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: language
    ),
    .target(
      name: "Exploration",
      dependencies: ["Dashboard", "Faults", "JSON", "Primitives", "Report", "Understudy"], swiftSettings: language),
    .target(
      name: "UnderstudyTesting",
      dependencies: ["Exploration", "Faults", "HTTP1", "JSON", "Platform", "Primitives", "Report", "Understudy"],
      swiftSettings: language),
    .executableTarget(
      name: "UnderstudyCommand",
      dependencies: [
        "Conformance", "Contract", "ControlAPI", "Exploration", "Faults", "HTTP1", "JSON", "Platform", "Primitives",
        "Report", "Services", "Understudy",
      ],
      swiftSettings: language
    ),
    .target(
      name: "UnderstudyClient", dependencies: ["Contract", "JSON", "Primitives", "Platform"], swiftSettings: language),
    .target(
      name: "UnderstudyInMemory",
      dependencies: ["Contract", "HTTP1", "JSON", "Primitives", "Understudy", "UnderstudyClient"],
      swiftSettings: language),
    .target(
      name: "Conformance", dependencies: ["Contract", "ControlAPI", "HTTP1", "JSON", "Platform", "Primitives"],
      swiftSettings: language),
    .target(
      name: "LiveTesting", dependencies: ["HTTP1", "JSON", "Platform", "Primitives", "Understudy"],
      path: "Tests/LiveTesting", swiftSettings: language),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "LiveTesting"], swiftSettings: language),
    .testTarget(name: "HTTP1Tests", dependencies: ["HTTP1", "Primitives", "LiveTesting"], swiftSettings: language),
    .testTarget(
      name: "FaultsTests", dependencies: ["Faults", "JSON", "LiveTesting", "Seeds"], swiftSettings: language),
    .testTarget(
      name: "ContractTests", dependencies: ["Contract", "ControlAPI", "Faults", "JSON", "Primitives"],
      swiftSettings: language),
    .testTarget(
      name: "UnderstudyTests",
      dependencies: [
        "Understudy", "Contract", "ControlAPI", "Faults", "HTTP1", "JSON", "Primitives", "Report", "Seeds", "Services",
        "Platform",
        "LiveTesting",
        .target(name: "CEpoll", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: language),
    .testTarget(
      name: "UnderstudyTestingTests",
      dependencies: ["UnderstudyTesting", "HTTP1", "JSON", "LiveTesting", "Understudy"],
      swiftSettings: language),
    .testTarget(
      name: "LaboratoryTests",
      dependencies: [
        "Understudy", "Contract", "Faults", "HTTP1", "JSON", "Primitives", "Report", "Services", "Platform",
        "LiveTesting",
      ],
      swiftSettings: language),
    .executableTarget(
      name: "InstallerApp", dependencies: ["UnderstudyClient"], path: "Tests/InstallerApp", swiftSettings: language),
    .executableTarget(
      name: "FieldClient", dependencies: ["UnderstudyClient"], path: "Tests/Field/UnderstudyClient",
      swiftSettings: language),
    .testTarget(
      name: "UnderstudyClientTests",
      dependencies: [
        "UnderstudyClient", "UnderstudyInMemory", "Understudy", "UnderstudyTesting", "Contract", "JSON", "InstallerApp",
        "LiveTesting",
      ],
      swiftSettings: language),
    .testTarget(
      name: "ExplorationTests", dependencies: ["Exploration", "Faults", "JSON", "Primitives", "Report", "Understudy"],
      swiftSettings: language),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Understudy", "UnderstudyCommand", "Contract", "ControlAPI", "Exploration", "Faults", "LiveTesting",
        "Primitives", "Report",
      ],
      exclude: ["naive-client.sh", "careful-client.sh"],
      swiftSettings: language),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "Conformance", "HTTP1", "Understudy", "UnderstudyCommand", "Contract", "ControlAPI",
        "JSON", "Seeds", "Platform",
        "LiveTesting",
      ],
      swiftSettings: language),
  ]
)

// The test targets of a build, separated by commas: the build for the thread sanitizer has those whose tests run with it.
if let names = Context.environment["UNDERSTUDY_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// A copy of Sources with mutants compiled in (Tests/Mutation). They cause warnings.
if let sources = Context.environment["UNDERSTUDY_SOURCES"] {
  for target in package.targets where [.regular, .executable].contains(target.type) && target.path == nil {
    target.path = "\(sources)/\(target.name)"
    target.swiftSettings?.append(.treatAllWarnings(as: .warning))
  }
}
