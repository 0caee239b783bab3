import process from "node:process";
import { connect, fileDiffOf, isQuestion } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
const task = await agent.startTask({
  workspacePath: process.cwd(),
  prompt: "write greeting.txt: hello",
});
for await (const event of task.events()) {
  if (!isQuestion(event)) continue;
  const diff = fileDiffOf(event.toolCall);
  if (diff === undefined) {
    await task.answer(event.toolCall, "cancel");
  } else {
    const newContent = diff.newContent.toUpperCase();
    await task.answer(event.toolCall, { newContent });
    console.log(`${diff.fileName}: ${newContent}`);
  }
}
agent.close();
