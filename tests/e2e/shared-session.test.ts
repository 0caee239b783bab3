import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { watchTask } from "./support/watch-task.js";

for (const version of ["0.3", "1.0"] as const) {
  for (const winner of ["ide", "phone"] as const) {
    test(`the ${winner} answers first, and both clients get the same events, over A2A ${version} [CLI-13, CLI-14]`, async () => {
      await using stage = await openStage();
      const ide = await stage.connect({ clientName: "ide", version });
      const phone = await stage.connect({ clientName: "phone", version });
      const started = await ide.startTask({
        workspacePath: stage.workspace.root,
        prompt: "wait 50 then say hello then write a.txt: hi then say done",
      });
      const joined = await phone.openTask(started.taskId);
      const watched = { ide: watchTask(started), phone: watchTask(joined) };
      const toolCallId = await watched.ide.question();
      await watched.phone.question();
      const answers = {
        ide: () => started.answer({ toolCallId }, "proceed_once"),
        phone: () => joined.answer({ toolCallId }, "cancel"),
      };

      const won = await answers[winner]();
      const lost = await answers[winner === "ide" ? "phone" : "ide"]();
      await Promise.all([watched.ide.done, watched.phone.done]);

      const optionId = winner === "ide" ? "proceed_once" : "cancel";
      expect(won).toEqual({ accepted: true });
      expect(lost).toEqual({
        accepted: false,
        answeredBy: { principal: "local", name: winner },
        selectedOptionId: optionId,
      });
      // The phone may have joined after the first events. All later events must be the same.
      const [first, second] = [watched.ide.seen, watched.phone.seen];
      expect(second.length).toBeGreaterThanOrEqual(5);
      expect(first.slice(first.length - second.length)).toEqual(second);
      expect(first.slice(0, first.length - second.length).map(({ kind }) => kind)).toEqual(
        ["STATE_CHANGE", "TITLE", "TEXT_CONTENT"].slice(0, first.length - second.length),
      );
      expect(joined.view()).toEqual(started.view());
      const settled = first.find((event) => event.kind === "TOOL_CALL_UPDATE" && event.answer);
      expect(settled).toMatchObject({ answer: { origin: { name: winner } } });
      expect(stage.faults).toEqual([]);
    });
  }
}

test("one of two simultaneous answers is accepted, and the other client learns who sent it [CLI-14, LOG-03]", async () => {
  await using stage = await openStage();
  const ide = await stage.connect({ clientName: "ide" });
  const phone = await stage.connect({ clientName: "phone" });
  const started = await ide.startTask({
    workspacePath: stage.workspace.root,
    prompt: "write a.txt: hi",
  });
  const toolCallId = await watchTask(started).question();
  const joined = await phone.openTask(started.taskId);

  const results = await Promise.all([
    started.answer({ toolCallId }, "proceed_once"),
    joined.answer({ toolCallId }, "cancel"),
  ]);

  const winner = results.findIndex((result) => result.accepted);
  expect(results[1 - winner]).toMatchObject({
    accepted: false,
    answeredBy: { name: ["ide", "phone"][winner] },
  });
});

test("a client that opens a task later gets the history and the open question [CLI-17]", async () => {
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
