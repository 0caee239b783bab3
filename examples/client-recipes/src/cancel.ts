import process from "node:process";
import { connect, isQuestion, turnOf } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
const task = await agent.startTask({
  workspacePath: process.cwd(),
  prompt: "write unwanted.txt: text",
});
for await (const event of task.events()) {
  if (isQuestion(event)) await task.cancel();
}
console.log(turnOf(task.view()).status);
agent.close();
