import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { fileSchemas } from "../settings/check-shape.js";
import { driveSession } from "../testing/drive-session.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { inputSchemas } from "../tools/check-input.js";
import { openAgentSession } from "./open-agent-session.js";

/** Opens a session, uses a tool and closes the session. */
async function useSession(workspacePath: string): Promise<void> {
  const ledger = openMemoryLedger();
  const session = driveSession(
    await openAgentSession({
      workspacePath,
      home: workspacePath,
      environment: { PATH: process.env.PATH },
      dataDirectory: path.join(workspacePath, "data"),
      ledger,
    }),
  );
  await session.prompt(
    { messageId: "m", taskId: "task", parts: [{ type: "text", text: "list ." }] },
    { user: "you", name: "You", role: "approve" },
  );
  for await (const event of ledger.read()) {
    if (event.kind === "STATE_CHANGE" && event.state === "completed") break;
  }
  await session.close();
}

test("a second session does not compile the same schemas again [SEC-09]", async () => {
  await using workspace = await openTempWorkspace();
  const settings = path.join(workspace.root, ".config", "dt");
  await mkdir(settings, { recursive: true });
  await writeFile(path.join(settings, "config.yaml"), "mode: default\n");
  await useSession(workspace.root);
  const before = { files: fileSchemas.compilations, inputs: inputSchemas.compilations };

  for (let at = 0; at < 5; at += 1) await useSession(workspace.root);

  expect({ files: fileSchemas.compilations, inputs: inputSchemas.compilations }).toEqual(before);
  expect(Math.min(before.files, before.inputs)).toBeGreaterThan(0);
});
