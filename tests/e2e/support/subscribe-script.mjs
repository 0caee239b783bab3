// Subscribes to a task and unsubscribes without closing the client. The process should then exit.
import { connect } from "@dt/client";

const [url, workspacePath] = process.argv.slice(2);
const client = await connect(url);
const task = await client.startTask({ workspacePath, prompt: "say hi" });
await new Promise((resolve) => {
  const unsubscribe = task.subscribe(() => {
    if (task.view().state !== "completed") return;
    unsubscribe();
    resolve();
  });
});
process.stdout.write("completed\n");
