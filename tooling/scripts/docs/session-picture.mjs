// Draws docs/session.svg: one session, its log, and four clients that read and answer it.
import { writeDocument } from "../write-document.mjs";

const COLOURS = {
  page: "#1d2021",
  box: "#32302f",
  line: "#7c6f64",
  text: "#ebdbb2",
  faint: "#a89984",
  log: "#83a598",
  question: "#fabd2f",
  answer: "#b8bb26",
};
const SIZE = { width: 920, height: 410 };
const CLIENT = { x: 24, y: 64, width: 232, height: 64, gap: 16 };
const LOG = { x: 372, y: 92, width: 292, row: 40 };
const AGENT = { x: 744, y: 64, width: 152 };

const CLIENTS = [
  { name: "Browser page", detail: "asleep: continues at 3", reads: 2 },
  { name: "IDE plugin", detail: "@dt/client", reads: 6, answers: 4 },
  { name: "Terminal", detail: "npm run dt", reads: 6 },
  { name: "Another agent", detail: "plain A2A, or curl", reads: 6 },
];
const EVENTS = [
  ["1", "USER_PROMPT", "text"],
  ["2", "STATE_CHANGE working", "text"],
  ["3", "write_file PENDING: the question", "question"],
  ["4", "EXECUTING, answered by IDE", "answer"],
  ["5", "write_file SUCCEEDED", "text"],
  ["6", "STATE_CHANGE completed", "text"],
];
const AGENT_PARTS = ["turn", "model", "policy", "tools"];

const shapes = [
  title(CLIENT.x, "Four clients"),
  title(LOG.x, "One session, one durable log"),
  title(AGENT.x, "The agent"),
  ...CLIENTS.flatMap(drawClient),
  box(LOG.x, LOG.y - 28, LOG.width, EVENTS.length * LOG.row + 36, COLOURS.log),
  ...EVENTS.map(drawEvent),
  box(AGENT.x, AGENT.y, AGENT.width, EVENTS.length * LOG.row + 36, COLOURS.line),
  ...AGENT_PARTS.map((part, index) =>
    text(AGENT.x + AGENT.width / 2, AGENT.y + 56 + index * 56, part, COLOURS.text, "middle"),
  ),
  arrow(AGENT.x, rowY(2), LOG.x + LOG.width, rowY(2), COLOURS.question),
  arrow(LOG.x + LOG.width, rowY(3), AGENT.x, rowY(3), COLOURS.answer),
  text(
    SIZE.width / 2,
    SIZE.height - 20,
    "Each client holds a position in the log. The first answer wins; everyone sees who gave it.",
    COLOURS.faint,
    "middle",
  ),
];

writeDocument(
  "docs/session.svg",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif" font-size="14">
<title>One session with four clients</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8Z" fill="context-stroke"/></marker></defs>
<rect width="100%" height="100%" rx="8" fill="${COLOURS.page}"/>
${shapes.join("\n")}
</svg>
`,
);

function drawClient({ name, detail, reads, answers }, index) {
  const y = CLIENT.y + index * (CLIENT.height + CLIENT.gap);
  const right = CLIENT.x + CLIENT.width;
  const middle = y + CLIENT.height / 2;
  return [
    box(CLIENT.x, y, CLIENT.width, CLIENT.height, COLOURS.line),
    text(CLIENT.x + 16, y + 26, name, COLOURS.text),
    text(CLIENT.x + 16, y + 48, detail, COLOURS.faint),
    arrow(LOG.x, rowY(reads - 1), right, middle + (answers ? 10 : 0), COLOURS.log),
    ...(answers ? [arrow(right, middle - 10, LOG.x, rowY(answers - 1), COLOURS.answer)] : []),
  ];
}

function drawEvent([position, label, colour], index) {
  return [
    text(LOG.x + 16, rowY(index) + 5, position, COLOURS.faint),
    text(LOG.x + 40, rowY(index) + 5, label, COLOURS[colour]),
  ].join("");
}

function rowY(index) {
  return LOG.y + index * LOG.row;
}

function title(x, label) {
  return text(x, 40, label, COLOURS.faint);
}

function box(x, y, width, height, stroke) {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${COLOURS.box}" stroke="${stroke}"/>`;
}

function text(x, y, label, fill, anchor = "start") {
  return `<text x="${x}" y="${y}" fill="${fill}" text-anchor="${anchor}">${label}</text>`;
}

function arrow(x1, y1, x2, y2, stroke) {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${stroke}" stroke-width="1.5" marker-end="url(#tip)"/>`;
}
