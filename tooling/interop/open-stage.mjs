import { readFileSync } from "node:fs";
import path from "node:path";
import { openReceiver } from "./open-receiver.mjs";

let lastId = 0;

/** Opens the stage of a scenario: its own file, push receivers, and a function that cancels working tasks. */
export function openStage({ client, binding, url, workspace }, scenario) {
  const row = [client.folder, client.protocol, binding].filter(Boolean).join("-");
  const name = `${row}-${scenario}.txt`.replaceAll("+", "").toLowerCase();
  const owned = [];
  return {
    workspace,
    /** Name of a file that no other scenario uses. */
    file: name,
    /** Reads the file of the scenario. Returns undefined if the file does not exist. */
    readFile() {
      try {
        return readFileSync(path.join(workspace, name), "utf8");
      } catch (reason) {
        if (reason.code === "ENOENT") return undefined;
        throw reason;
      }
    },
    async openReceiver() {
      const receiver = await openReceiver();
      owned.push(receiver);
      return receiver;
    },
    cancelWorking: () => cancelWorking(url),
    async close() {
      // A failed scenario may leave a working task.
      await cancelWorking(url);
      for (const closable of owned) await closable.close();
    },
  };
}

/**
 * Cancels the tasks that are working. The tasks of some scenarios wait until they are cancelled, but not
 * every client can cancel a task.
 */
async function cancelWorking(url) {
  const { tasks = [] } = await request(url, "ListTasks", { status: "TASK_STATE_WORKING" });
  for (const { id } of tasks) await request(url, "CancelTask", { id });
}

async function request(url, method, params) {
  lastId += 1;
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params }),
  });
  const { result, error } = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
