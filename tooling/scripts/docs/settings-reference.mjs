// Writes docs/guides/settings.md from the settings schema and the variables that the programs declare.
import { readFileSync } from "node:fs";
import path from "node:path";
import { CLI_REFERENCE } from "../../../apps/cli/dist/reference.js";
import { SERVER_REFERENCE } from "../../../apps/server/dist/reference.js";
import { toTable } from "../to-table.mjs";
import { root, writeDocument } from "../write-document.mjs";

const { schema, policySchema, settingVariables, modelVariables } = SERVER_REFERENCE.settings;
const { mcpServers, ...properties } = schema.properties;
const variableByKey = new Map(Object.entries(settingVariables).map(([name, key]) => [key, name]));
const serverVariables = Object.entries(SERVER_REFERENCE.variables);
const isTracing = ([name]) => name.startsWith("OTEL_");

writeDocument(
  "docs/guides/settings.md",
  `# Settings

<!-- Written by \`npm run docs\` from the tables by which the settings are read. Do not edit. -->

## How do I change a setting?

Write it into one of these files, or set an environment variable. The first source that has a value wins:

1. An option of the [command line](../cli.md), such as \`--model\`.
2. An environment variable, such as \`DT_MODEL\`.
3. \`.dt/config.yaml\` in the workspace, if you [trust](#why-is-my-workspaces-file-ignored) it.
4. \`~/.config/dt/config.yaml\`.
5. \`.gemini/config.yaml\` in a trusted workspace, then \`~/.config/gemini-cli/config.yaml\`. Unknown keys are skipped there.
6. The file that \`DT_SETTINGS_FILE\` names.

A [policy](#which-keys-does-a-policy-have) stands above all of them.

Objects such as \`limits\` are merged key by key. Lists, single values and whole MCP servers are not merged: the first source wins.

## What does a settings file look like?

\`\`\`yaml
${readFileSync(path.join(root, "docs/guides/settings-example.yaml"), "utf8").trimEnd()}
\`\`\`

An error names the file, the line and the key. \`\${NAME}\` in an MCP server is replaced by the environment variable \`NAME\`.
Editors can check the file with \`@dt/agent-core/settings.schema.json\`.

## Why is my workspace's file ignored?

A file in a workspace could start programs, so it is used only after you trusted that directory.
Run \`dt --trust\` in it, or \`dt-server trust DIR\`.

## Which keys are there?

${toTable(["key", "type", "default", "effect", "variable"], listKeys("", properties))}

## Which keys does a policy have?

\`DT_POLICY_FILE\` names the policy. It only limits, and [nobody can loosen it](run-for-a-team.md#how-do-i-limit-what-users-may-do).

${toTable(
  ["key", "type", "default", "effect"],
  listKeys("", policySchema.properties).map((row) => row.slice(0, 4)),
)}

## How do I add an MCP server?

Give it a name below \`mcpServers\`, with a \`command\` or a \`url\`. \`/tools\` then lists its tools.

${toTable(["key", "type", "default", "effect"], listServerKeys())}

## Which variables give access to a model?

${describeVariables(Object.entries(modelVariables))}

## Which variables set a key?

Each of them has the type, the default and the effect of its key above. Lists are separated by commas.

${toTable(
  ["variable", "key"],
  Object.entries(settingVariables).map(([name, key]) => [code(name), code(key)]),
)}

## How do I keep a secret out of the environment?

Put it alone into a file with mode 600 or 400. Set the variable that has \`_FILE\` after its name to the path of the file:
${listFiles()}.

## Which variables does dt read?

${describeVariables(Object.entries(CLI_REFERENCE.variables))}

## Which variables does dt-server read?

${describeVariables(serverVariables.filter((one) => !isTracing(one)))}

## How do I send traces?

dt-server reads the variables of OpenTelemetry:

${describeVariables(serverVariables.filter(isTracing))}

## What if I misspell a variable?

A variable that begins with \`DT_\` or \`CODER_AGENT_\` and is similar to a known one causes a warning with the correct name.
`,
);

/** Lists one row for each key of a schema. The parts of a nested key are joined with dots. */
function listKeys(prefix, keys) {
  return Object.entries(keys).flatMap(([name, info]) => {
    const key = `${prefix}${name}`;
    if (info.properties !== undefined) return listKeys(`${key}.`, info.properties);
    const variable = variableByKey.get(key);
    return [[...describeKey(key, info), variable === undefined ? "" : code(variable)]];
  });
}

function listServerKeys() {
  const { properties: keys } = mcpServers.additionalProperties;
  return Object.entries(keys).map(([name, info]) => describeKey(name, info));
}

function describeKey(key, info) {
  const { description } = info;
  if (description === undefined) throw new Error(`the settings schema does not describe ${key}`);
  return [code(key), typeOf(info), defaultOf(info), description];
}

function typeOf({ type, anyOf, enum: words, items, minimum, maximum, additionalProperties }) {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(", ");
  if (words !== undefined) return words.map(code).join(", ");
  if (type === "array") return `list of ${items.type}s`;
  if (type === "object") return `map of ${additionalProperties.type}s`;
  if (type !== "integer") return type;
  return maximum === undefined
    ? `whole number from ${minimum}`
    : `whole number, ${minimum}–${maximum}`;
}

function defaultOf({ default: value }) {
  if (value === undefined) return "none";
  if (!Array.isArray(value)) return code(value);
  return value.length === 0 ? "empty" : value.map(code).join(", ");
}

function describeVariables(variables) {
  return toTable(
    ["variable", "type", "default", "effect"],
    variables.map(([name, info]) => [code(name), info.type, info.default, info.effect]),
  );
}

function listFiles() {
  const all = [...Object.entries(modelVariables), ...serverVariables];
  return all.flatMap(([name, { hasFile }]) => (hasFile ? [code(`${name}_FILE`)] : [])).join(", ");
}

function code(value) {
  return `\`${value}\``;
}
