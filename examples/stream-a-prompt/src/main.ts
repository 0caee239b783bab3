// Prompts an agent and prints its events. Start an agent with `npm start` in the repository, then run:
//   npm start -- "list then say done"
// region: snippet
import process from "node:process";
import { connect, turnOf } from "@dt/client";

const [prompt = "think plan: list and tell then list then say done", url] = process.argv.slice(2);
const agent = await connect(url ?? "http://127.0.0.1:41242", { clientName: "my-plugin" });
const task = await agent.startTask({ workspacePath: process.cwd(), prompt });
for await (const event of task.events()) {
  switch (event.kind) {
    case "TEXT_CONTENT":
      process.stdout.write(event.text);
      break;
    case "THOUGHT":
      console.log(`(${event.thought.subject}: ${event.thought.description})`);
      break;
    case "TOOL_CALL_UPDATE":
      console.log(`[${event.toolCall.toolName} ${event.toolCall.status}]`);
      break;
    case "STATE_CHANGE":
      // This program has no user who could answer a question, so it cancels the task.
      if (turnOf(task.view()).status === "asking") await task.cancel();
      break;
  }
}
const { status } = turnOf(task.view());
console.log(`\n${[status, task.view().error ?? []].flat().join(": ")}`);
process.exitCode = status === "completed" ? 0 : 1;
agent.close();
// endregion
