import process from "node:process";
import { connect, textOf, turnOf } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
const task = await agent.startTask({ workspacePath: process.cwd(), prompt: "list then say hello" });
await task.watch((view) => {
  console.clear();
  for (const { event } of view.items) {
    if (event.kind === "USER_PROMPT") console.log(`> ${textOf(event.parts)}`);
    if (event.kind === "TEXT_CONTENT") console.log(event.text);
    if (event.kind === "TOOL_CALL_UPDATE") {
      console.log(`[${event.toolCall.toolName} ${event.toolCall.status}]`);
    }
  }
  console.log(turnOf(view).status);
});
agent.close();
