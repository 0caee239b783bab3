import { openQuestions } from "@dt/schema";
import { expect, test } from "vitest";
import { fileDiffOf } from "../events/file-diff-of.js";
import { buildCommandQuestion, buildEditQuestion } from "./build-question.js";
import { createFakeAgent } from "./create-fake-agent.js";

test("questions about an edit and a command survive the real codecs [RFC-14, RFC-15]", async () => {
  const edit = buildEditQuestion({ oldContent: "a", newContent: "b" });
  const command = buildCommandQuestion("ls", { toolCallId: "call-2" });
  const agent = createFakeAgent({
    async script(turn) {
      await turn.ask(edit, command);
    },
  });
  const client = await agent.connect();
  const task = await client.startTask({ workspacePath: "/workspace", prompt: "ask" });

  for await (const { state } of task.events()) if (state === "input-required") break;
  client.close();

  expect(openQuestions(task.view())).toEqual([edit, command]);
  expect(fileDiffOf(edit)).toEqual({
    fileName: "notes.txt",
    filePath: "/workspace/notes.txt",
    oldContent: "a",
    newContent: "b",
  });
});
