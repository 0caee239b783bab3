// Writes docs/cli.md from the options that dt and dt-server declare.
import { CLI_REFERENCE } from "../../../apps/cli/dist/reference.js";
import { SERVER_REFERENCE } from "../../../apps/server/dist/reference.js";
import { toTable } from "../to-table.mjs";
import { writeDocument } from "../write-document.mjs";

const dt = describeProgram("dt", CLI_REFERENCE);
const server = describeProgram("dt-server", SERVER_REFERENCE);

writeDocument(
  "docs/cli.md",
  `# Command line

<!-- Written by \`npm run docs\` from the options that the programs declare. Do not edit. -->

This page lists the commands, options and exit codes of \`dt\` and \`dt-server\`. \`--help\` prints the same.
In the repository, start them with \`npm run dt -- OPTIONS\` and \`npm start -- OPTIONS\`.
Environment variables are in the [settings guide](guides/settings.md).

${dt}

${server}
`,
);

function describeProgram(name, { commands, options, exitCodes }) {
  return `## ${name}

${toTable(
  ["command", "effect"],
  commands.map(([usage, effect]) => [code(usage), effect]),
)}

### Options of ${name}

${toTable(
  ["option", "effect"],
  Object.entries(options).map(([option, info]) => [formatOption(option, info), info.effect]),
)}

### Exit codes of ${name}

${toTable(
  ["code", "meaning"],
  exitCodes.map(([exitCode, meaning]) => [String(exitCode), meaning]),
)}`;
}

function formatOption(name, { short, value }) {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? code(long) : `${code(`-${short}`)}, ${code(long)}`;
}

function code(text) {
  return `\`${text}\``;
}
