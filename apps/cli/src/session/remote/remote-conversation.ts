import { randomUUID } from "node:crypto";
import type { AgentClient, TaskHandle } from "@dt/client";
import type { Origin, SessionEvent } from "@dt/schema";
import { createEventFeed, type EventFeed } from "./event-feed.js";
import { advanceRemote, type RemoteState, type RemoteStep, startRemote } from "./remote-state.js";

/** Follows a task of another process and the tasks after it as one conversation. */
export interface RemoteConversation {
  readonly state: RemoteState;
  /** The task of the running command; undefined if no command runs as a separate task. */
  readonly running: TaskHandle | undefined;
  advance(step: RemoteStep): void;
  /** Starts to follow the task of the handle, unless that task is already followed. */
  follow(): void;
  /** Follows a command to its end. */
  followCommand(task: TaskHandle, text: string): Promise<void>;
  /** Adds a prompt of this face to the conversation, unless the prompt has already arrived as an event. */
  showPrompt(messageId: string, text: string): void;
  /** Yields each event that happens from now on. */
  events(signal: AbortSignal): AsyncIterable<readonly SessionEvent[]>;
  /** Resolves when this conversation follows no task. */
  idle(): Promise<void>;
}

/** Options of {@link openRemoteConversation}. */
export interface RemoteConversationOptions {
  readonly client: Pick<AgentClient, "followsSessions">;
  readonly handle: TaskHandle;
  /** Origin of prompts that are shown before the agent sends them. */
  readonly own: Partial<Origin>;
  /** Following stops when this signal aborts. */
  readonly signal: AbortSignal;
  /** Called after every change. */
  onChange(): void;
}

/**
 * Opens the conversation and follows it. If the agent sends all events of a session, the view of the
 * handle is the conversation; otherwise the events of each task are folded here.
 */
export function openRemoteConversation(options: RemoteConversationOptions): RemoteConversation {
  const { client, handle, own, signal, onChange } = options;
  const feed: EventFeed = createEventFeed();
  let state = startRemote(handle.view());
  let following: Promise<void> | undefined;
  let running: TaskHandle | undefined;

  function advance(step: RemoteStep): void {
    const before = state;
    state = advanceRemote(state, step);
    if (state === before) return;
    if (step.type === "event") feed.publish(step.event);
    onChange();
  }

  async function followTask(): Promise<void> {
    try {
      for await (const event of handle.events({ signal })) advance({ type: "event", event });
    } catch (reason) {
      advance({ type: "fault", message: messageOf(reason) });
    } finally {
      following = undefined;
      onChange();
    }
  }

  function followView(): void {
    const unsubscribe = handle.subscribe(() => advance({ type: "view", view: handle.view() }), {
      onError: (reason) => advance({ type: "fault", message: messageOf(reason) }),
    });
    signal.addEventListener("abort", unsubscribe, { once: true });
  }

  function follow(): void {
    if (!client.followsSessions) following ??= followTask();
  }

  function showPrompt(messageId: string, text: string): void {
    const { taskId, contextId, state: taskState } = state.view;
    const parts = [{ type: "text" as const, text }];
    const header = { taskId, contextId, state: taskState, at: new Date().toISOString() };
    const origin: Origin = { principal: "local", name: "", ...own };
    const event = { kind: "USER_PROMPT" as const, messageId, parts, origin, ...header };
    advance({ type: "event", event });
  }

  if (client.followsSessions) followView();
  else follow();
  return {
    get state() {
      return state;
    },
    get running() {
      return running;
    },
    advance,
    follow,
    showPrompt,
    async followCommand(task, text) {
      const isShown = client.followsSessions;
      if (!isShown) {
        running = task;
        showPrompt(randomUUID(), text);
      }
      try {
        for await (const event of task.events({ signal })) {
          if (!isShown && event.kind !== "USER_PROMPT") advance({ type: "event", event });
        }
      } finally {
        running = undefined;
      }
    },
    events: feed.events,
    async idle() {
      await following;
    },
  };
}

/** Returns the error message of a thrown value. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
