/// The style of the report page: light and dark by the reader's preference, for screens from the width of a phone.
enum ReportStyle {
  static let css = """
    :root { --paper: #fbfaf8; --ink: #1d1c1a; --soft: #6a6660; --rule: #e2ded7; --card: #fff; --bar: #c9c4ba;
      --fail: #b3261e; --warn: #8a5a00; --pass: #1f6f43; --plan: #3b6fb6; }
    @media (prefers-color-scheme: dark) { :root { --paper: #171614; --ink: #ece8e1; --soft: #a09a90; --rule: #35322d;
      --card: #1f1e1b; --bar: #57524a; --fail: #ff8a80; --warn: #f2b84b; --pass: #7fd1a0; --plan: #86b3f2; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
    h1 { font-size: clamp(1.6rem, 5vw, 2.3rem); line-height: 1.15; margin: 0 0 .5rem; letter-spacing: -.02em; }
    h2 { font-size: 1.25rem; margin: 3rem 0 .5rem; }
    h3 { font-size: 1rem; margin: 0; font-weight: 600; }
    p { margin: 0; }
    ul, ol { list-style: none; margin: 0; padding: 0; }
    code { font: .9em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
    .eyebrow { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; }
    .facts, footer, .empty { color: var(--soft); overflow-wrap: anywhere; }
    .facts b { color: var(--ink); font-weight: 600; }
    .tally { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; margin: 1.25rem 0 1.75rem; }
    .tally li { display: flex; align-items: center; gap: .4rem; }
    .tally .none { opacity: .45; }
    .mark { width: 1.25rem; height: 1.25rem; flex: none; fill: currentColor; }
    .mark path { fill: none; stroke: var(--paper); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    .mark .body { fill: currentColor; stroke: currentColor; stroke-width: 1; }
    .mark .open { fill: none; stroke: currentColor; stroke-width: 1.5; }
    .mark .dash { stroke: currentColor; }
    .fail .mark, .fail h3 span { color: var(--fail); } .warn .mark, .warn h3 span { color: var(--warn); }
    .pass .mark, .pass h3 span { color: var(--pass); } .idle .mark, .idle h3 span { color: var(--soft); }
    .checks { border-top: 1px solid var(--rule); }
    .check { display: grid; grid-template-columns: 1.25rem 1fr; gap: .9rem; padding: .8rem 0;
      border-bottom: 1px solid var(--rule); }
    .check .mark { margin-top: .15rem; }
    .check h3 span { font-weight: 400; font-size: .85rem; margin-left: .35rem; }
    .check p { overflow-wrap: anywhere; }
    .check.idle { padding: .5rem 0; } .check.idle p, .check.idle h3 { color: var(--soft); font-weight: 400; }
    .evidence { font-size: .85rem; margin-top: .15rem; }
    .evidence a, .evidence span { color: var(--soft); margin-right: .3rem; text-underline-offset: .15em; }
    .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; color: var(--soft); font-size: .85rem;
      margin-bottom: 1rem; }
    .legend span { display: inline-flex; align-items: center; gap: .35rem; }
    .how { color: var(--soft); font-size: .85rem; margin-bottom: .6rem; max-width: 44rem; }
    .key { display: inline-block; width: 1.4rem; position: static; }
    article { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .9rem 1rem .5rem;
      margin-bottom: .9rem; }
    article h3 { display: flex; flex-wrap: wrap; gap: .15rem .6rem; align-items: baseline; margin-bottom: .5rem; }
    article .wish { color: var(--soft); font-weight: 400; }
    article h3 span { color: var(--soft); font-weight: 400; font-size: .85rem; margin-left: auto; }
    article li { display: grid; grid-template-columns: 3rem minmax(0, 1fr) minmax(0, 17rem); gap: .75rem;
      align-items: center; padding: .2rem 0; border-radius: .3rem; font-size: .85rem; }
    article li:target { background: color-mix(in srgb, var(--warn) 18%, transparent); }
    article li p { color: var(--soft); overflow-wrap: anywhere; line-height: 1.35; }
    article em { display: block; font-style: normal; color: var(--ink); }
    .no { color: var(--soft); font-variant-numeric: tabular-nums; text-align: right; }
    .lane { position: relative; height: 1.5rem; margin-right: .8rem; background: linear-gradient(var(--rule),
      var(--rule)) 0 50% / 100% 1px no-repeat; }
    .lane i { position: absolute; }
    .bar { top: .35rem; height: .8rem; background: var(--bar); border-radius: .15rem; min-width: 2px; }
    .planned { top: .35rem; height: .8rem; border-radius: .15rem; background: repeating-linear-gradient(135deg,
      var(--plan) 0 2px, transparent 2px 5px); outline: 1px solid var(--plan); outline-offset: -1px; }
    .actual { top: 1.25rem; height: 3px; background: var(--ink); border-radius: 2px; }
    .asked { top: .68rem; height: 0; border-top: 2px dotted var(--warn); }
    .key.bar { height: .8rem; } .key.asked { top: 0; } .key.planned { height: .8rem; } .key.actual { height: 3px; }
    .end { position: absolute; top: .35rem; margin-left: .15rem; line-height: 0; }
    .glyph { width: .8rem; height: .8rem; fill: currentColor; background: radial-gradient(var(--card) 60%, transparent
      62%); }
    .glyph .stroke { fill: none; stroke: currentColor; stroke-width: 2.4; stroke-linecap: round; }
    .glyph.success { color: var(--pass); } .glyph.refused, .glyph.lost { color: var(--fail); }
    .glyph.unavailable, .glyph.damaged { color: var(--warn); }
    .axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .75rem;
      margin: .2rem calc(17rem + 1.5rem) 0 3.75rem; }
    .more { color: var(--soft); font-size: .85rem; padding-left: 3.75rem; }
    .command { color: var(--fail); margin-top: .3rem; overflow-wrap: anywhere; }
    .run { border-top: 1px solid var(--rule); } .run[open] { padding-bottom: 2.5rem; }
    .run summary { cursor: pointer; padding: .7rem 0; overflow-wrap: anywhere; border-left: .25rem solid var(--pass);
      padding-left: .8rem; } .run.failed > summary { border-color: var(--fail); }
    .run h1 { font-size: 1.3rem; margin-top: 1rem; }
    .entry { border: 1px solid var(--rule); border-radius: .4rem; background: var(--card); margin-bottom: .4rem; }
    .entry summary { cursor: pointer; padding: .4rem .8rem; overflow-wrap: anywhere; font-size: .85rem; }
    .entry summary span { color: var(--soft); }
    .entry pre { margin: 0; padding: .2rem .8rem .8rem; font: .8rem/1.45 ui-monospace, Menlo, Consolas, monospace;
      white-space: pre-wrap; overflow-wrap: anywhere; scroll-margin-top: 2.5rem; }
    .entry pre:target { background: color-mix(in srgb, var(--warn) 18%, transparent); }
    footer { margin-top: 2.5rem; font-size: .85rem; }
    @media (max-width: 40rem) { main { padding: 1.5rem 1rem 3rem; }
      article li { grid-template-columns: 2.6rem minmax(0, 1fr); row-gap: 0; padding: .35rem 0; }
      article li p { grid-column: 2; } .axis { margin: .2rem .8rem 0 3.35rem; } .more { padding-left: 3.35rem; } }
    """
}
