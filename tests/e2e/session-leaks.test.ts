import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { builtinTools, createOfflineModel, createSession, openWorkspace } from "@dt/agent-core";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openStage } from "./support/open-stage.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const prompts = ["say hi", "write a.txt: x", "run echo hi", "fail no", "read none.txt"];

test("nothing holds a session that has ended and left memory [SEC-09]", async () => {
  const kept: WeakRef<object>[] = [];
  const model = createOfflineModel();
  await using stage = await openStage({
    server: {
      limits: { sessionIdleMs: 1 },
      sweepMs: 10,
      async openAgent({ settings, ledger, journal, isCredentialAlive }) {
        const workspace = await openWorkspace(settings.workspacePath);
        const session = await createSession({
          model,
          tools: builtinTools,
          mode: "yolo",
          workspace,
          ledger,
          journal,
          isCredentialAlive,
        });
        for (const part of [session, ledger, journal, workspace]) kept.push(new WeakRef(part));
        return session;
      },
    },
  });
  for (let round = 0; round < 8; round += 1) {
    const client = await stage.connect({
      transport: round % 2 === 0 ? "sse" : "websocket",
      WebSocket,
    });
    for (const prompt of prompts) {
      const task = await client.startTask({ workspacePath: stage.workspace.root, prompt });
      for await (const _ of task.events()) {
        // Until the turn is over.
      }
    }
    client.close();
  }

  const left = () => kept.filter((part) => part.deref() !== undefined).length;
  // References live until the loop has turned; what leaks never goes, and the test ends by its guard.
  while (left() > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
  }

  expect(kept).toHaveLength(4 * 8 * prompts.length);
});
