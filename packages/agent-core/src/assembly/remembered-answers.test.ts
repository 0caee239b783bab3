import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Caller, OPTION_IDS, type SessionEvent, type ToolCall } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import { driveSession } from "../testing/drive-session.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import type { AgentSessionOptions } from "./agent-session-options.js";
import { openAgentSession } from "./open-agent-session.js";

const ada: Caller = { user: "ada", name: "Ada", role: "approve" };

test('"always" for cat also allows cat of other files, except files behind a link [SEC-07]', async () => {
  await using stage = await openStage();
  await writeFile(stage.at("a.txt"), "alpha");
  await writeFile(stage.at("b.txt"), "beta");
  await symlink(stage.home, stage.at("link"));

  expect(await stage.ask("run cat a.txt", OPTION_IDS.proceedAlways)).toContain(
    OPTION_IDS.proceedAlways,
  );
  expect(await stage.ask("run cat b.txt")).toBeUndefined();
  expect(await stage.ask("run cat b.txt; cat link/x", OPTION_IDS.cancel)).not.toContain(
    OPTION_IDS.proceedAlways,
  );
});

test('"always" for a command no longer applies after its directory became a link [SEC-07]', async () => {
  await using stage = await openStage();
  await mkdir(stage.at("sub"));
  await stage.ask("run cd sub && touch made", OPTION_IDS.proceedAlways);
  expect(await stage.ask("run cd sub && touch made")).toBeUndefined();

  await rm(stage.at("sub"), { recursive: true });
  await symlink(stage.home, stage.at("sub"));

  expect(await stage.ask("run cd sub && touch made", OPTION_IDS.cancel)).toEqual([
    OPTION_IDS.proceedOnce,
    OPTION_IDS.cancel,
  ]);
});

test.each([
  "write .git/hooks/pre-commit: x",
  "write .dt/config.yaml: x",
  "write .vscode/tasks.json: x",
  "write .bashrc: x",
  "write hooks/pre-commit: x",
  "write data/dt.db: x",
  "run echo x > .git/config",
  "remember x",
])(
  'in auto-edit mode, the prompt %j leads to a question without the option "always" [SEC-08]',
  async (prompt) => {
    await using stage = await openStage({ flags: { mode: "auto-edit" } });
    await mkdir(stage.at(".git/hooks"), { recursive: true });
    await symlink(".git/hooks", stage.at("hooks"));

    expect(await stage.ask("write package.json: {}")).toBeUndefined();
    expect(await stage.ask(prompt, OPTION_IDS.proceedOnce)).toEqual([
      OPTION_IDS.proceedOnce,
      OPTION_IDS.cancel,
    ]);
    expect(await stage.ask(prompt, OPTION_IDS.cancel)).toBeDefined();
  },
);

test('"always" for edits does not allow edits of protected files [SEC-08]', async () => {
  await using stage = await openStage();

  await stage.ask("write a.txt: x", OPTION_IDS.proceedAlways);

  expect(await stage.ask("write b.txt: x")).toBeUndefined();
  expect(await stage.ask("write .git/config: x", OPTION_IDS.cancel)).toBeDefined();
});

test("in yolo mode no call asks, even if it changes protected files [SEC-08]", async () => {
  await using stage = await openStage({ flags: { mode: "yolo" } });

  expect(await stage.ask("write .git/config: x")).toBeUndefined();
  expect(await stage.ask("run cat .git/config")).toBeUndefined();
});

async function openStage(options: Partial<AgentSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const session = driveSession(
    await openAgentSession({
      workspacePath: workspace.root,
      home: home.root,
      environment: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      dataDirectory: path.join(home.root, "session"),
      agentDirectories: [path.join(workspace.root, "data")],
      ledger,
      ...options,
    }),
  );
  let turns = 0;
  return {
    home: home.root,
    at: (name: string) => path.join(workspace.root, name),
    /** Sends a prompt and answers its question. Returns the options; undefined if there was no question. */
    async ask(text: string, answer?: string): Promise<readonly string[] | undefined> {
      const taskId = `t${++turns}`;
      await session.prompt({ messageId: taskId, taskId, parts: [{ type: "text", text }] }, ada);
      let offered: readonly string[] | undefined;
      for await (const event of ledger.read()) {
        if (event.taskId !== taskId) continue;
        const question = findQuestion(event);
        if (question !== undefined && offered === undefined) {
          offered = question.confirmationRequest?.options.map(({ id }) => id) ?? [];
          const selectedOptionId = answer ?? OPTION_IDS.cancel;
          const { toolCallId } = question;
          await session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, ada);
        }
        if (event.kind === "STATE_CHANGE" && isEnd(event.state)) return offered;
      }
      throw new Error("the ledger ended");
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

function findQuestion(event: SessionEvent): ToolCall | undefined {
  if (event.kind !== "TOOL_CALL_UPDATE" || event.toolCall.status !== "PENDING") return undefined;
  return event.toolCall.confirmationRequest === undefined ? undefined : event.toolCall;
}

function isEnd(state: string): boolean {
  return state === "completed" || state === "failed";
}
