import { type SessionEvent, START_CURSOR } from "@dt/schema";
import { type InstanceUnderTest, openInstances } from "./open-instances.js";
import {
  checkTask,
  EVENTS_OF_TASK,
  type KillReport,
  type TaskFile,
  toReport,
} from "./prove-kills.js";
import { createRandom } from "./random.js";

/** Time in seconds after which another instance takes the sessions of a killed one. */
const LEASE_SECONDS = "2";

/**
 * Kills one of three instances with kill -9 at random moments, while the second one watches a task of the first, and the
 * third one answers its questions. A new instance then replaces the killed one.
 *
 * Each kill proves the promises that `checkTask` checks, for a watcher whose own instance is not killed during the task.
 */
export async function proveTakeOvers(count: number, seed: number): Promise<KillReport> {
  await using stage = await openInstances({ DT_LEASE_SECONDS: LEASE_SECONDS });
  const random = createRandom(seed);
  let instances = await Promise.all([stage.start(), stage.start(), stage.start()]);
  const ends: string[] = [];
  for (let round = 0; round < count; round += 1) {
    const [victim, ...others] = instances as [
      InstanceUnderTest,
      InstanceUnderTest,
      InstanceUnderTest,
    ];
    const moment = { after: random(EVENTS_OF_TASK), ticks: random(200) };
    const taskFile = { root: stage.workspace.root, file: `log-${round}.txt` };
    const replacement = stage.start();
    const kill = async () => {
      for (let tick = 0; tick < moment.ticks; tick += 1) await new Promise(setImmediate);
      await victim.server.kill();
    };
    const drive = await driveTask([victim, ...others], taskFile, { after: moment.after, kill });
    const state = await checkTask(drive, taskFile).catch((cause: unknown) => {
      throw new Error(`round ${round} of seed ${seed}: ${JSON.stringify(moment)}`, { cause });
    });
    ends.push(state);
    instances = [...others, await replacement];
  }
  return toReport(ends);
}

/** Starts a task on the first instance, watches it on the second, and answers its questions on the third. */
async function driveTask(
  [victim, watcher, answerer]: readonly [InstanceUnderTest, InstanceUnderTest, InstanceUnderTest],
  { root, file }: TaskFile,
  { after, kill }: { readonly after: number; readonly kill: () => Promise<void> },
) {
  const prompt = `say one then write ${file}.md: hi then run echo once >> ${file} then say two`;
  const { taskId } = await victim.client.startTask({ workspacePath: root, prompt });
  let killed = after === 0 ? kill() : undefined;
  const task = await watcher.client.openTask(taskId);
  const seen: SessionEvent[] = [];
  const answers: Promise<unknown>[] = [];
  for await (const event of task.events({ after: START_CURSOR })) {
    seen.push(event);
    if (seen.length === after) killed ??= kill();
    if (event.kind !== "STATE_CHANGE") continue;
    for (const { toolCallId } of event.waiting ?? []) answers.push(answer(toolCallId));
  }
  killed ??= kill();
  await Promise.all([...answers, killed]);
  return { task, seen };

  /** Answers until an instance accepts the answer, or says that there is no such question. */
  async function answer(toolCallId: string): Promise<void> {
    const other = await answerer.client.openTask(taskId);
    for (;;) {
      const result = await other.answer({ toolCallId }, "proceed_once").catch(() => undefined);
      if (result !== undefined) return;
    }
  }
}
