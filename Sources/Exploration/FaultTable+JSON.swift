import Faults
package import JSON
import Primitives
import Report
import Understudy

extension FaultTable {
  /// The report with every cell.
  package var json: JSONValue {
    let mistakes = mistakes.map { mistake -> JSONValue in
      [
        "check": .string(mistake.check), "verdict": .string(mistake.verdict.rawValue),
        "sentence": .string(mistake.sentence), "cells": .array(mistake.cells.map { .int($0) }),
        "shown": .int(mistake.shown),
        "requests": .array(mistake.requests.map { .string($0) }),
      ]
    }
    return [
      "command": .array(command.map { .string($0) }), "upstream": upstream.map { .string($0) } ?? .null,
      "calm": ["seconds": Self.seconds(calm.duration), "requests": .int(calm.report.requests.count)],
      "rows": .array(grid.rows.map(\.json)), "ways": .array(grid.ways.map { .string($0.text) }),
      "cells": .array(results.map(json)), "mistakes": .array(mistakes),
      "remarks": .array(([idleness].compactMap(\.self) + remarks).map { .string($0) }),
      "mended": .array(mended.map { .string($0) }), "counts": counts,
    ]
  }

  private var counts: JSONValue {
    var members = [JSONValue.Member("runs", .int(runs)), JSONValue.Member("known", .int(knownCount))]
    // The sum of the marks is the number of cells, so those of known cells are among them.
    members += CellMark.allCases.map { mark in
      JSONValue.Member(mark.rawValue, .int(results.count { $0.mark == mark }))
    }
    return .object(JSONValue.Object(members))
  }

  private func json(_ result: CellResult) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("name", .string(name(of: result))), JSONValue.Member("row", .int(result.cell.row)),
      JSONValue.Member("way", .string(grid.ways[result.cell.way].text)),
      JSONValue.Member("twice", .bool(result.cell.isTwice)), JSONValue.Member("mark", .string(result.mark.rawValue)),
      JSONValue.Member("known", .bool(result.isKnown)),
      JSONValue.Member("checks", .array(result.checks.map { .string($0) })),
      JSONValue.Member("exit", result.run.map { .int(Int($0.exitCode)) } ?? .null),
      JSONValue.Member("seconds", result.run.map { Self.seconds($0.duration) } ?? .null),
      JSONValue.Member("repeat", .string(repeatLine(name(of: result)))),
    ]
    if result.mark != .survived, let run = result.run {
      members.append(
        JSONValue.Member("output", .array(run.output.suffix(Self.outputLineCount).map { .string($0) })))
    }
    return .object(JSONValue.Object(members))
  }

  /// Seconds with milliseconds, as a number.
  private static func seconds(_ duration: Duration) -> JSONValue {
    .number(JSONValue.Number(Double(duration.nanoseconds / 1_000_000) / 1_000))
  }
}

extension ExploredRow {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "api": api.isEmpty ? .null : .string(api), "sandbox": sandbox.map { .string($0) } ?? .null,
      "method": .string(method), "path": .string(path), "operation": operation.map { .string($0) } ?? .null,
      "n": .int(n), "per": .string(counting.rawValue), "overlaps": .bool(overlaps),
    ]
  }
}
