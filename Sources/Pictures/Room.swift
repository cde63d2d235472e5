/// A room while it is being drawn: its light, its measures, and the choices that its name still has to make.
struct Room {
  var canvas: Canvas
  var seed: Seed
  let palette: Palette
  let hour: Hour
  let width: Double
  let height: Double

  /// Where the wall ends and the floor begins.
  let floor: Double

  /// The size of the furniture against that of the landscape drawing.
  let scale: Double

  let isPortrait: Bool

  /// The choices that concern the land outside.
  let viewSeed: Seed

  /// Any other edition gives every room another look. In this one the eight rooms of the office differ most.
  private static let edition = "6171"

  init(name: String, orientation: Orientation) {
    seed = Seed(name + "|" + Room.edition)
    viewSeed = Seed(name + "|view")
    hour = seed.pick([.morning, .noon, .noon, .evening, .night])
    palette = seed.pick(Palette.all).lit(at: hour)
    let size = orientation.size
    (width, height) = (Double(size.width), Double(size.height))
    isPortrait = orientation == .portrait
    floor = (height * 0.67).rounded()
    scale = isPortrait ? 1.15 : 1
    canvas = Canvas(width: size.width, height: size.height, color: palette.wall)
    canvas.isMirrored = seed.chance(50)
  }

  /// Draws everything, from the back to the front.
  mutating func furnish() {
    drawWall()
    drawFloor()
    let plan = isPortrait ? portraitPlan() : landscapePlan()
    for (window, style) in plan.windows {
      drawWindow(window, style)
    }
    drawOrnaments(plan.ornaments)
    if let door = plan.door {
      drawDoor(door)
    }
    drawRug()
    for (window, _) in plan.windows {
      drawLight(from: window)
    }
    for x in plan.corners {
      drawCorner(x)
    }
    drawTable()
    drawPendants()
    if seed.chance(30) {
      drawCat(isPortrait ? 52 : 50)
    }
  }

  /// Where the things on the wall and those before it go.
  struct Plan {
    var windows: [(Box, WindowStyle)]
    var ornaments: [Box] = []
    var door: Box?
    /// The places on the floor for plants and standing lamps.
    var corners: [Double] = []
  }

  private mutating func landscapePlan() -> Plan {
    let straight = seed.pick([WindowStyle.grid, .panes, .arch])
    switch seed.integer(in: 0...4) {
    case 0:
      return Plan(
        windows: [(Box(48, 46, 300, 176), seed.pick([.grid, .panes]))],
        ornaments: [Box(396, 84, 82, 104)], door: Box(520, 84, 98, floor - 84), corners: [36, 450])
    case 1:
      return Plan(
        windows: [(Box(205, 40, 230, 194), straight)],
        ornaments: [Box(80, 76, 92, 114), Box(468, 76, 92, 114)], corners: [38, 602])
    case 2:
      return Plan(
        windows: [(Box(52, 44, 128, 204), straight), (Box(460, 44, 128, 204), straight)],
        ornaments: [Box(238, 100, 164, 104)], corners: [24, 616])
    case 3:
      return Plan(
        windows: [(Box(36, 40, 568, 196), seed.pick([.grid, .panes]))], corners: [54, 590])
    default:
      return Plan(
        windows: [(Box(70, 38, 196, 196), .round)],
        ornaments: [Box(352, 92, 116, 96)], door: Box(516, 84, 98, floor - 84), corners: [42, 446])
    }
  }

  private mutating func portraitPlan() -> Plan {
    let straight = seed.pick([WindowStyle.grid, .panes, .arch])
    switch seed.integer(in: 0...3) {
    case 0:
      return Plan(
        windows: [(Box(40, 76, 224, 268), straight)], ornaments: [Box(298, 120, 92, 120)], corners: [382])
    case 1:
      return Plan(windows: [(Box(98, 60, 231, 310), straight)], corners: [44, 384])
    case 2:
      return Plan(windows: [(Box(105, 90, 217, 217), .round)], corners: [50, 386])
    default:
      return Plan(
        windows: [(Box(44, 76, 150, 282), straight), (Box(233, 76, 150, 282), straight)], corners: [30, 402])
    }
  }
}
