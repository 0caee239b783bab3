import process from "node:process";
import { connect, textOf } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
const task = await agent.startTask({ workspacePath: process.cwd(), prompt: "say hello" });
await task.watch(() => {});

for await (const { taskId, state } of agent.listTasks({ pageSize: 10 })) {
  console.log(taskId === task.taskId, state);
}

const session = await agent.openSession(task.contextId);
for (const { event } of session.view().items) {
  if (event.kind === "USER_PROMPT") console.log(`you: ${textOf(event.parts)}`);
  if (event.kind === "TEXT_CONTENT") console.log(`agent: ${event.text}`);
}
agent.close();
