import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { watchTask } from "./support/watch-task.js";

for (const version of ["0.3", "1.0"] as const) {
  test(`two clients on one session both see every event; both answer, one wins, the other is told who, over A2A ${version} [CLI-13, CLI-14, CLI-17, RFC-05]`, async () => {
    await using stage = await openStage();
    const ide = await stage.connect({ clientName: "ide", version });
    const phone = await stage.connect({ clientName: "phone", version });
    const started = await ide.startTask({
      workspacePath: stage.workspace.root,
      prompt: "say hello then write a.txt: hi then say done",
    });
    const first = watchTask(started);
    const toolCallId = await first.question();
    const joined = await phone.openTask(started.taskId);
    const second = watchTask(joined);

    const results = await Promise.all([
      started.answer({ toolCallId }, "proceed_once"),
      joined.answer({ toolCallId }, "cancel"),
    ]);
    await Promise.all([first.done, second.done]);

    const winner = results.findIndex((result) => result.accepted);
    const won = [
      { name: "ide", optionId: "proceed_once" },
      { name: "phone", optionId: "cancel" },
    ][winner];
    expect(results[1 - winner]).toEqual({
      accepted: false,
      answeredBy: { principal: "local", name: won?.name },
      selectedOptionId: won?.optionId,
    });
    // The late joiner's view began with a snapshot; from there both saw the same.
    expect(second.seen).toEqual(first.seen.slice(-second.seen.length));
    expect(joined.view()).toEqual(started.view());
    const settled = first.seen.find((event) => event.kind === "TOOL_CALL_UPDATE" && event.answer);
    expect(settled).toMatchObject({ answer: { origin: { name: won?.name } } });
    expect(stage.faults).toEqual([]);
  });
}

test("a client that joins late sees the history and the open question [CLI-17]", async () => {
  await using stage = await openStage();
  const ide = await stage.connect({ clientName: "ide" });
  const started = await ide.startTask({
    workspacePath: stage.workspace.root,
    prompt: "say hello then write a.txt: hi",
  });
  await watchTask(started).question();

  const phone = await stage.connect({ clientName: "phone" });
  const view = (await phone.openTask(started.taskId)).view();

  expect(view.state).toBe("input-required");
  expect(view.items.map(({ event }) => event.kind)).toEqual([
    "USER_PROMPT",
    "TEXT_CONTENT",
    "TOOL_CALL_UPDATE",
  ]);
  expect(view.openCalls[0]?.confirmationRequest?.options.map((option) => option.id)).toEqual([
    "proceed_once",
    "proceed_always",
    "cancel",
  ]);
});
