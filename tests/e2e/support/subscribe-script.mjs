// Subscribes to a task, waits for its end, and does nothing more: does the process end?
import { connect } from "@dt/client";

const [url, workspacePath] = process.argv.slice(2);
const client = await connect(url);
const task = await client.startTask({ workspacePath, prompt: "say hi" });
await new Promise((resolve) => {
  const changed = () => task.view().state === "completed" && resolve();
  task.subscribe(changed);
  changed();
});
process.stdout.write("completed\n");
