import process from "node:process";
import { connect, isText } from "@dt/client";

const url = process.argv[2] ?? "http://127.0.0.1:41242";
const workspacePath = process.cwd();

// The first program reads one text and stops. It stores two strings.
const first = await connect(url);
const task = await first.startTask({ workspacePath, prompt: "say one then say two" });
const stored = { taskId: task.taskId, cursor: "0" };
for await (const event of task.events()) {
  stored.cursor = event.cursor ?? stored.cursor;
  if (isText(event)) break;
}
first.close();

// The second program continues after the last event that the first one saw.
const second = await connect(url);
const sameTask = await second.openTask(stored.taskId);
for await (const event of sameTask.events({ after: stored.cursor })) {
  if (isText(event)) console.log(event.text);
}
second.close();
