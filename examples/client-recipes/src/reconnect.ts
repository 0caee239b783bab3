import process from "node:process";
import { connect, isText } from "@dt/client";

const url = process.argv[2] ?? "http://127.0.0.1:41242";
const workspacePath = process.cwd();

// This script stands for two runs of a program. The first client stores the task id and the cursor of
// the last event that it saw, and closes after the first text.
const first = await connect(url);
const task = await first.startTask({ workspacePath, prompt: "say one then say two" });
const stored = { taskId: task.taskId, cursor: "0" };
for await (const event of task.events()) {
  stored.cursor = event.cursor ?? stored.cursor;
  if (isText(event)) break;
}
first.close();

// The second client needs only the two stored strings. It continues after the last event of the first.
const second = await connect(url);
const sameTask = await second.openTask(stored.taskId);
for await (const event of sameTask.events({ after: stored.cursor })) {
  if (isText(event)) console.log(event.text);
}
second.close();
