import process from "node:process";
import { connect, isText } from "@dt/client";

const url = process.argv[2] ?? "http://127.0.0.1:41242";
const workspacePath = process.cwd();

// The first program reads one text and stops. It keeps two strings.
const first = await connect(url);
const task = await first.startTask({ workspacePath, prompt: "say one then say two" });
const kept = { taskId: task.taskId, cursor: "0" };
for await (const event of task.events()) {
  kept.cursor = event.cursor ?? kept.cursor;
  if (isText(event)) break;
}
first.close();

// The second program continues after the last event that the first one saw.
const second = await connect(url);
const sameTask = await second.openTask(kept.taskId);
for await (const event of sameTask.events({ after: kept.cursor })) {
  if (isText(event)) console.log(event.text);
}
second.close();
