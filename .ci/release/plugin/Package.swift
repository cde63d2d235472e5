// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "understudy-plugin",
  products: [.plugin(name: "UnderstudyPlugin", targets: ["UnderstudyPlugin"])],
  targets: [
    .binaryTarget(name: "understudy", path: "understudy.artifactbundle"),
    .plugin(
      name: "UnderstudyPlugin",
      capability: .command(
        intent: .custom(
          verb: "understudy", description: "Serve five backends with planned faults, or run a command against them."),
        permissions: [
          .allowNetworkConnections(scope: .all(ports: []), reason: "The program serves HTTP on this machine."),
          .writeToPackageDirectory(reason: "The reports that --report and --junit name are written."),
        ]),
      dependencies: ["understudy"],
      path: "Plugin"),
  ]
)
