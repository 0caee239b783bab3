import { expect } from "vitest";
import { openStage } from "./open-stage.js";
import { watchTask } from "./watch-task.js";

/**
 * Lets two clients answer the same question at once, repeatedly.
 *
 * Each race proves that one answer is applied, that the other client learns the winner and its option, and
 * that both clients see the same task. Resolves with the number of wins of each client.
 */
export async function proveRaces(count: number): Promise<readonly [number, number]> {
  await using stage = await openStage();
  const names = ["ide", "phone"] as const;
  const clients = [
    await stage.connect({ clientName: "ide" }),
    await stage.connect({ clientName: "phone" }),
  ] as const;
  const wins: [number, number] = [0, 0];
  for (let race = 0; race < count; race += 1) {
    const started = await clients[0].startTask({
      workspacePath: stage.workspace.root,
      prompt: `write race-${race}.txt: x`,
    });
    const watched = watchTask(started);
    const toolCallId = await watched.question();
    const joined = await clients[1].openTask(started.taskId);
    const options = ["proceed_once", "cancel"] as const;
    const answer = [
      () => started.answer({ toolCallId }, options[0]),
      () => joined.answer({ toolCallId }, options[1]),
    ] as const;

    // The clients take turns in sending the first answer.
    const first = race % 2;
    const pending = [answer[first]!(), answer[1 - first]!()];
    const results = await Promise.all(first === 0 ? pending : pending.reverse());
    await watched.done;

    const winner = results.findIndex((result) => result.accepted);
    expect(results.filter((result) => result.accepted)).toHaveLength(1);
    expect(results[1 - winner]).toEqual({
      accepted: false,
      answeredBy: { principal: "local", name: names[winner] },
      selectedOptionId: options[winner],
    });
    const settled = watched.seen.find((event) => event.kind === "TOOL_CALL_UPDATE" && event.answer);
    expect(settled).toMatchObject({ answer: { origin: { name: names[winner] } } });
    const written = await stage.workspace.read(`race-${race}.txt`).catch(() => undefined);
    expect(written).toBe(winner === 0 ? "x" : undefined);
    const [mine, theirs] = await Promise.all(
      clients.map(async (client) => {
        const { presence, ...view } = (await client.openTask(started.taskId)).view();
        // Presence also says who asks for it, so it differs between the two clients.
        return { ...view, clients: presence?.clients };
      }),
    );
    expect(mine).toEqual(theirs);
    wins[winner as 0 | 1] += 1;
  }
  expect(stage.faults).toEqual([]);
  return wins;
}
