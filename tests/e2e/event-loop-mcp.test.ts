import path from "node:path";
import { openAgentSession } from "@dt/agent-core";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { promptOnce } from "./support/prompt-once.js";
import { watchHealth } from "./support/watch-health.js";

const MAX_BLOCKED_MS = 2_000;
const script = path.resolve(import.meta.dirname, "support/mcp-flood-server.mjs");

/** Opens a stage whose sessions use an MCP server that floods the agent with data. */
async function openFloodedStage(kind: string) {
  return await openStage({
    server: {
      openAgent: ({ settings, ledger, journal, isCredentialAlive }) =>
        openAgentSession({
          workspacePath: settings.workspacePath,
          home: settings.workspacePath,
          environment: { PATH: process.env.PATH ?? "", DT_MODEL: "offline" },
          dataDirectory: path.join(settings.workspacePath, "data"),
          flags: {
            mode: "yolo",
            mcpServers: { flood: { command: process.execPath, args: [script, kind] } },
          },
          ledger,
          journal,
          isCredentialAlive,
        }),
    },
  });
}

test.each([
  ["of 4 million nested lists", "brackets", "FAILED"],
  ["of 10 MB of text", "text", "SUCCEEDED"],
  ["of 45,000 blocks", "blocks", "FAILED"],
  ["after 50,000 invalid lines", "lines", "SUCCEEDED"],
  ["after 5,000 progress reports", "progress", "SUCCEEDED"],
])(
  "the server answers other clients while it reads an MCP result %s [SEC-09]",
  async (_, tool, status) => {
    await using stage = await openFloodedStage("answers");

    const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
      promptOnce(stage, `call ${tool} {}`),
    );

    expect(result).toEqual({ state: "completed", calls: [status] });
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
  },
);

test.each([
  ["5,000 tools", "tools", "use"],
  ["a schema with 20,000 properties", "properties", "use"],
  ["a schema with 10,000 references", "references", "use"],
  ["a schema with 240 alternatives", "alternatives", "use"],
  ["a schema with 40,000 allowed values", "values", "use"],
])(
  "the server answers other clients while an MCP server offers %s [SEC-09]",
  async (_, kind, tool) => {
    await using stage = await openFloodedStage(kind);

    const { result, statuses, blockedMs } = await watchHealth(stage.url, () =>
      promptOnce(stage, `call ${tool} {}`),
    );

    expect(result).toEqual({ state: "completed", calls: ["SUCCEEDED"] });
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(blockedMs).toBeLessThan(MAX_BLOCKED_MS);
  },
);
