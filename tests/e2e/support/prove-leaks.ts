import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createModelEngine,
  createOfflineModel,
  createSession,
  fileTools,
  openWorkspace,
} from "@dt/agent-core";
import { WebSocket } from "ws";
import { openStage } from "./open-stage.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Number of watched objects per session: the session, its ledger, its journal and its workspace. */
const PARTS = 4;

const PROMPTS = ["say hi", "write a.txt: x", "fail no", "read none.txt"];

/**
 * Runs sessions until they are evicted, waits until all their objects are garbage-collected, and returns
 * the number of sessions. Never resolves while something still references one of the objects.
 */
export async function proveNoLeaks(rounds: number): Promise<number> {
  const watched: WeakRef<object>[] = [];
  const model = createOfflineModel();
  await using stage = await openStage({
    server: {
      limits: { sessionIdleMs: 1 },
      sweepMs: 10,
      async openAgent({ settings, ledger, journal, isCredentialAlive }) {
        const workspace = await openWorkspace(settings.workspacePath);
        const session = await createSession({
          engine: createModelEngine({ model, tools: fileTools, workspace }),
          mode: "yolo",
          ledger,
          journal,
          isCredentialAlive,
        });
        for (const part of [session, ledger, journal, workspace]) watched.push(new WeakRef(part));
        return session;
      },
    },
  });
  for (let round = 0; round < rounds; round += 1) {
    const client = await stage.connect({
      transport: round % 2 === 0 ? "sse" : "websocket",
      WebSocket,
    });
    for (const prompt of PROMPTS) {
      const task = await client.startTask({ workspacePath: stage.workspace.root, prompt });
      for await (const _ of task.events()) {
        // The loop only waits for the end of the turn.
      }
    }
    client.close();
  }

  const left = () => watched.filter((part) => part.deref() !== undefined).length;
  // `left` reads weak references. Reading one keeps its object alive until the next iteration of the event
  // loop.
  while (left() > 0) {
    await setImmediate();
    collectGarbage();
  }

  return watched.length / PARTS;
}
