import { type AgentClient, type ConnectionState, type TaskHandle, turnOf } from "@dt/client";
import { byId } from "./element.js";
import { attempt, showFault } from "./show-fault.js";
import { createTranscript } from "./transcript.js";

/** Options of {@link createConversation}. */
export interface ConversationOptions {
  /** Starts a task with the first prompt, or joins an existing task. */
  start(prompt: string): Promise<void>;
  /** Called when the client stops to read the task, because of an error that a retry cannot fix. */
  onError(reason: unknown): void;
  /** Called after the view has changed. */
  onChange?(task: TaskHandle): void;
}

/** The part of a page that shows a conversation and sends prompts and answers. */
export interface Conversation {
  /** The task that is shown; undefined before the first task. */
  readonly task: TaskHandle | undefined;
  /** Shows the state of a connection from now on. */
  showConnection(agent: AgentClient): void;
  /** Shows a task from now on. */
  follow(task: TaskHandle): void;
  /** Stops showing and following, and clears the page. */
  leave(): void;
}

/** Connects the elements of the page to a conversation. */
export function createConversation(options: ConversationOptions): Conversation {
  const promptForm = byId("prompt") as HTMLFormElement;
  const stop = byId("stop") as HTMLButtonElement;
  let task: TaskHandle | undefined;
  let unsubscribers: (() => void)[] = [];

  const transcript = createTranscript(byId("transcript"), {
    async answer(toolCall, answer) {
      // The view contains the winning answer, so the tool call shows it even if another client was first.
      await task?.answer(toolCall, answer).catch(showFault);
    },
  });

  promptForm.onsubmit = (event) => {
    event.preventDefault();
    const prompt = String(new FormData(promptForm).get("text") ?? "");
    promptForm.reset();
    attempt(() => (task === undefined ? options.start(prompt) : task.prompt(prompt)));
  };

  stop.onclick = () => attempt(async () => await task?.cancel());

  function showState(shown: TaskHandle): void {
    const { state, error } = shown.view();
    const badge = byId("task-state");
    badge.hidden = false;
    badge.textContent = state;
    stop.hidden = !["running", "asking"].includes(turnOf(shown.view()).status);
    if (error !== undefined) showFault(error);
    scrollTo({ top: document.body.scrollHeight });
  }

  return {
    get task() {
      return task;
    },
    showConnection(agent) {
      const show = (state: ConnectionState) => showConnection(state, agent.transport);
      unsubscribers.push(agent.onConnectionChange(show));
      show(agent.connection);
    },
    follow(opened) {
      task = opened;
      const show = () => {
        options.onChange?.(opened);
        transcript.show(opened.view());
        showState(opened);
      };
      unsubscribers.push(opened.subscribe(show, { onError: options.onError }));
      show();
    },
    leave() {
      for (const unsubscribe of unsubscribers) unsubscribe();
      unsubscribers = [];
      task = undefined;
      transcript.clear();
      stop.hidden = true;
      byId("task-state").hidden = true;
      showConnection({ status: "closed" }, "");
    },
  };
}

function showConnection(state: ConnectionState, transport: string): void {
  const badge = byId("connection");
  badge.dataset.status = state.status;
  badge.textContent =
    state.status === "reconnecting"
      ? `reconnecting, attempt ${state.attempt}`
      : state.status === "connected"
        ? `connected over ${transport}`
        : "not connected";
}
