import { isQuestion, isText } from "@dt/client";
import { buildEditQuestion, createFakeAgent } from "@dt/client/testing";
import { expect, test } from "vitest";

const edit = buildEditQuestion({ oldContent: "old", newContent: "new" });

test("the plugin approves an edit and shows the text that follows", async () => {
  const agent = createFakeAgent({
    async script(turn) {
      const [answer] = await turn.ask(edit);
      turn.update({ ...edit, status: "SUCCEEDED" });
      turn.say(`chosen: ${answer?.selectedOptionId}`);
    },
  });
  const client = await agent.connect({ clientName: "my-plugin" });
  const task = await client.startTask({ workspacePath: "/workspace", prompt: "edit" });
  const texts: string[] = [];
  for await (const event of task.events()) {
    if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
    if (isText(event)) texts.push(event.text);
  }
  client.close();

  expect(texts).toEqual(["chosen: proceed_once"]);
});
