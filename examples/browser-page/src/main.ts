import { type AgentClient, connect, type TransportKind } from "@dt/client";
import { createConversation } from "./conversation.js";
import { byId } from "./element.js";
import { attempt, showFault } from "./show-fault.js";

const connectForm = byId("connect") as HTMLFormElement;

let agent: AgentClient | undefined;

const conversation = createConversation({
  start,
  onError: showFault,
  onChange({ taskId }) {
    // A reloaded page reads the task's id from its address.
    location.hash = `task=${taskId}`;
  },
});

connectForm.onsubmit = (event) => {
  event.preventDefault();
  attempt(connectAgent);
};

async function connectAgent(): Promise<AgentClient> {
  const token = field("token");
  const connected = await connect(field("agent"), {
    clientName: "browser page",
    transport: field("transport") as TransportKind,
    // This page can reach the typed address, but perhaps not the one in the agent's card.
    keepsOrigin: true,
    ...(token !== "" && { token }),
  });
  agent = connected;
  conversation.showConnection(connected);
  connectForm.hidden = true;
  const taskId = new URLSearchParams(location.hash.slice(1)).get("task");
  if (taskId !== null) conversation.follow(await connected.openTask(taskId));
  return connected;
}

async function start(prompt: string): Promise<void> {
  const connected = agent ?? (await connectAgent());
  if (conversation.task !== undefined) return await conversation.task.prompt(prompt);
  const workspacePath = field("workspace");
  const opened = await connected.startTask({
    prompt,
    ...(workspacePath !== "" && { workspacePath }),
  });
  conversation.follow(opened);
}

function field(name: string): string {
  return String(new FormData(connectForm).get(name) ?? "");
}

// A query such as ?agent=http://127.0.0.1:41242&workspace=/src fills the form and connects.
const query = new URLSearchParams(location.search);
for (const [name, value] of query) {
  const input = connectForm.elements.namedItem(name);
  if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = value;
}
if (query.has("agent")) connectForm.requestSubmit();

// Exposes the view to the browser's console.
Object.assign(globalThis, { taskView: () => conversation.task?.view() });
