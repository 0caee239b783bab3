import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { connect } from "@dt/client";
import { WebSocket } from "ws";
import { openDataDir } from "../e2e/support/data-dir.js";
import { type ServerProcess, startServerProcess } from "../e2e/support/server-process.js";

const PROBE = pathToFileURL(path.join(import.meta.dirname, "memory-probe.mjs")).href;
const PROMPTS = ["say hi", "write a.txt: x", "fail no", "read none.txt", "think a: b then say c"];
const AT_ONCE = 10;
const POLL_MS = 1_000;

/** Resources that a server uses when it has no sessions in memory. */
export interface Sample {
  /** Bytes of the heap and of the external memory of its objects. */
  readonly heap: number;
  /** Number of sockets, timers and pending requests. */
  readonly handles: number;
  readonly descriptors: number;
}

/**
 * Runs sessions through a built dt-server. Takes one sample after half of the sessions and one after all of them.
 * Each sample is taken when every session was evicted from memory.
 */
export async function sampleServer(sessions: number): Promise<readonly [Sample, Sample]> {
  await using data = await openDataDir();
  await using server = await startServerProcess({
    DT_DATA_DIR: data.directory,
    DT_WORKSPACE_ROOTS: data.directory,
    CODER_AGENT_PORT: "0",
    DT_SESSION_IDLE_MINUTES: "1",
    NODE_OPTIONS: `--import ${PROBE}`,
  });
  const runHalf = async (step: number) => {
    await runSessions(server, data.directory, sessions / 2);
    while (!(await isMemoryEmpty(server))) await setTimeout(POLL_MS);
    return await takeSample(server, step);
  };
  return [await runHalf(1), await runHalf(2)];
}

async function runSessions(
  { url }: ServerProcess,
  workspacePath: string,
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    const transport = done % (2 * AT_ONCE) === 0 ? "sse" : "websocket";
    const client = await connect(url, { transport, WebSocket });
    const run = async (prompt: string) => {
      const settings = { autoExecute: true };
      const task = await client.startTask({ workspacePath, prompt, settings });
      for await (const _ of task.events()) {
        // The loop only waits for the end of the turn.
      }
    };
    const prompts = Array.from({ length: AT_ONCE }, (_, index) => PROMPTS[index % PROMPTS.length]);
    await Promise.all(prompts.map((prompt = "") => run(prompt)));
    client.close();
  }
}

async function isMemoryEmpty({ url }: ServerProcess): Promise<boolean> {
  const metrics = await (await fetch(new URL("metrics", url))).text();
  return /^\w*sessions_in_memory 0$/m.test(metrics);
}

async function takeSample(server: ServerProcess, step: number): Promise<Sample> {
  server.child.kill("SIGUSR2");
  const line = await server.log(`probe ${step} `);
  return JSON.parse(line.slice(line.indexOf("{"))) as Sample;
}
