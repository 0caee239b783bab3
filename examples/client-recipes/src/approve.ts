import process from "node:process";
import { connect, isQuestion, isText } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
const task = await agent.startTask({
  workspacePath: process.cwd(),
  prompt: "write hello.txt: hello then say done",
});
for await (const event of task.events()) {
  if (isText(event)) console.log(event.text);
  if (isQuestion(event)) await task.answer(event.toolCall, "proceed_once");
}
agent.close();
