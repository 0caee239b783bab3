import path from "node:path";
import type { Caller, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { writeFakeBwrap } from "../sandbox/fake-bwrap.test-support.js";
import type { Settings } from "../settings/settings.js";
import { driveSession } from "../testing/drive-session.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { openAgentSession } from "./open-agent-session.js";

const ADA: Caller = { user: "ada", name: "Ada", role: "approve", credential: "socket 1" };

/** Opens a session whose sandbox is a stand-in for bubblewrap. */
async function openStage({ flags }: { readonly flags?: Settings } = {}) {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const PATH = await writeFakeBwrap(path.join(home.root, "bin"));
  const ledger = openMemoryLedger();
  const session = driveSession(
    await openAgentSession({
      workspacePath: workspace.root,
      home: home.root,
      environment: { PATH, DT_SANDBOX: "bwrap" },
      dataDirectory: path.join(home.root, "data"),
      ledger,
      ...(flags && { flags }),
    }),
  );
  const prompt = async (text: string) =>
    await session.prompt({ messageId: "1", taskId: "1", parts: [{ type: "text", text }] }, ADA);
  return {
    workspace,
    session,
    prompt,
    async until(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
      for await (const event of ledger.read()) if (fits(event)) return event;
      throw new Error("the ledger ended");
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a question about a command in a sandbox says that the network is off [SEC-04]", async () => {
  await using stage = await openStage();

  await stage.prompt("run npm test");
  const event = await stage.until(
    (each) => each.kind === "STATE_CHANGE" && each.waiting !== undefined,
  );

  const note = "in a sandbox without network";
  const { root } = stage.workspace;
  expect(event).toMatchObject({
    waiting: [
      {
        description: `Run: npm test, ${note}`,
        confirmationRequest: {
          options: [
            { id: "proceed_once", description: `Runs ${note}.` },
            {
              id: "proceed_always",
              description: expect.stringContaining(`exactly this command in ${root}, ${note}`),
            },
            { id: "cancel" },
          ],
        },
      },
    ],
  });
});

test("the program of an MCP server starts in the sandbox [SEC-04]", async () => {
  const args = ["-c", "echo $FAKE_SANDBOX > mark; exit 1"];
  await using stage = await openStage({ flags: { mcpServers: { own: { command: "sh", args } } } });

  await stage.prompt("say done");
  await stage.until((each) => each.kind === "STATE_CHANGE" && each.state === "completed");

  expect(await stage.workspace.read("mark")).toBe("yes\n");
});
