import {
  type AgentClient,
  type ConnectionState,
  connect,
  type TaskHandle,
  type TransportKind,
  turnOf,
} from "@dt/client";
import { byId } from "./element.js";
import { createTranscript } from "./transcript.js";

const connectForm = byId("connect") as HTMLFormElement;
const promptForm = byId("prompt") as HTMLFormElement;
const stop = byId("stop") as HTMLButtonElement;

let agent: AgentClient | undefined;
let task: TaskHandle | undefined;

const transcript = createTranscript(byId("transcript"), {
  async answer(toolCall, answer) {
    // The view contains the winning answer, so the tool call shows it even if another client was first.
    await task?.answer(toolCall, answer).catch(showFault);
  },
});

connectForm.onsubmit = (event) => {
  event.preventDefault();
  void connectAgent().catch(showFault);
};

promptForm.onsubmit = (event) => {
  event.preventDefault();
  const prompt = field(promptForm, "text");
  promptForm.reset();
  void send(prompt).catch(showFault);
};

stop.onclick = () => void task?.cancel().catch(showFault);

async function connectAgent(): Promise<void> {
  showFault(undefined);
  const token = field(connectForm, "token");
  agent = await connect(field(connectForm, "agent"), {
    clientName: "browser page",
    transport: field(connectForm, "transport") as TransportKind,
    // This page can reach the typed address, but perhaps not the one in the agent's card.
    keepsOrigin: true,
    ...(token !== "" && { token }),
  });
  agent.onConnectionChange(showConnection);
  showConnection(agent.connection);
  connectForm.hidden = true;
  const taskId = new URLSearchParams(location.hash.slice(1)).get("task");
  if (taskId !== null) follow(await agent.openTask(taskId));
}

async function send(prompt: string): Promise<void> {
  if (agent === undefined) await connectAgent();
  if (task !== undefined) return await task.prompt(prompt);
  const workspacePath = field(connectForm, "workspace");
  const opened = await agent?.startTask({
    prompt,
    ...(workspacePath !== "" && { workspacePath }),
  });
  if (opened !== undefined) follow(opened);
}

function follow(opened: TaskHandle): void {
  task = opened;
  const show = () => {
    // A reloaded page reads the task's id from its address.
    location.hash = `task=${opened.taskId}`;
    transcript.show(opened.view());
    showState(opened);
  };
  opened.subscribe(show, { onError: showFault });
  show();
}

function showState(opened: TaskHandle): void {
  const { state, error } = opened.view();
  const badge = byId("task-state");
  badge.hidden = false;
  badge.textContent = state;
  stop.hidden = !["running", "asking"].includes(turnOf(opened.view()).status);
  if (error !== undefined) showFault(error);
  scrollTo({ top: document.body.scrollHeight });
}

function showConnection(state: ConnectionState): void {
  const badge = byId("connection");
  badge.dataset.status = state.status;
  badge.textContent =
    state.status === "reconnecting"
      ? `reconnecting, attempt ${state.attempt}`
      : state.status === "connected"
        ? `connected over ${agent?.transport}`
        : "not connected";
}

function showFault(reason: unknown): void {
  const line = byId("fault");
  line.hidden = reason === undefined;
  line.textContent = reason instanceof Error ? reason.message : String(reason);
}

function field(form: HTMLFormElement, name: string): string {
  return String(new FormData(form).get(name) ?? "");
}

// A query such as ?agent=http://127.0.0.1:41242&workspace=/src fills the form and connects.
const query = new URLSearchParams(location.search);
for (const [name, value] of query) {
  const input = connectForm.elements.namedItem(name);
  if (input instanceof HTMLInputElement || input instanceof HTMLSelectElement) input.value = value;
}
if (query.has("agent")) connectForm.requestSubmit();

// Exposes the view to the browser's console.
Object.assign(globalThis, { taskView: () => task?.view() });
