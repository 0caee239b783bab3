import { randomUUID } from "node:crypto";
import {
  type AgentClient,
  type ConnectionState,
  isProtocolError,
  type TaskHandle,
} from "@dt/client";
import {
  isTerminalState,
  isUnfinished,
  type Origin,
  openQuestions,
  type QueuedPrompt,
  reduceSessionView,
  type SessionEvent,
  type SlashCommand,
  type TaskView,
} from "@dt/schema";
import { readRemoteHistory } from "./remote-history.js";
import { createRepeatedWork } from "./repeated-work.js";
import type { ScreenSession, SessionCommand } from "./screen-session.js";
import { watchPresence } from "./watch-presence.js";

/** What a session of someone else is watched by. */
export interface RemoteSessionOptions {
  readonly client: AgentClient;
  readonly handle: TaskHandle;
  readonly commands: readonly SlashCommand[];
  /** The name by which the agent knows this client. */
  readonly clientName: string;
  readonly url: string;
  onEvent?(event: SessionEvent): void;
}

/**
 * Watches a task of another process for a screen, and the tasks that follow from it: prompts after its
 * end, and commands. All of them are one conversation here. Closing it leaves them as they are.
 */
export function openRemoteSession(options: RemoteSessionOptions): ScreenSession {
  const { client, handle, clientName, url } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const listeners = new Set<() => void>();
  const own: Origin = { principal: "local", name: clientName };
  let view: TaskView = handle.view();
  /** The task of a live session, which ends only with that. Commands are tasks of their own. */
  let sharedTaskId = restsOpen(view) ? view.taskId : undefined;
  let connection: ConnectionState = { status: "connected" };
  let fault: string | undefined;
  let following: Promise<void> | undefined;
  let told = view.cursor;
  /** Prompts that are on their way. */
  let sending: readonly string[] = [];
  /** The command that runs, a task of its own. */
  let running: TaskHandle | undefined;

  function notify(): void {
    for (const listener of [...listeners]) listener();
  }

  function take(event: SessionEvent): void {
    // An agent may tell a prompt both as part of a task and as its first event.
    if (event.kind === "USER_PROMPT" && showsPrompt(view, event.messageId)) return;
    view = reduceSessionView(view, event);
    if (restsOpen(view)) sharedTaskId = view.taskId;
    options.onEvent?.(event);
    notify();
  }

  /** Tells the events since those that were told; ends when there are no more for now. */
  async function tellEvents(onEvent: (event: SessionEvent) => void): Promise<void> {
    try {
      for await (const event of handle.events({
        signal,
        ...(told !== undefined && { after: told }),
      })) {
        told = event.cursor ?? told;
        onEvent(event);
      }
    } catch (reason) {
      fault = messageOf(reason);
    }
  }

  const { onEvent } = options;
  const telling = onEvent && createRepeatedWork(() => tellEvents(onEvent));

  // Where the agent tells all that happens in a session, the handle's own view is all there is to show.
  function showAll(): () => void {
    const changed = () => {
      view = handle.view();
      if (restsOpen(view)) sharedTaskId = view.taskId;
      telling?.request();
      notify();
    };
    return handle.subscribe(changed, {
      onError(reason) {
        fault = messageOf(reason);
        notify();
      },
    });
  }

  async function follow(): Promise<void> {
    if (client.followsSessions) return;
    try {
      for await (const event of handle.events({ signal })) take(event);
    } catch (reason) {
      fault = messageOf(reason);
    } finally {
      following = undefined;
      notify();
    }
  }

  /** Shows what was typed here, since nobody repeats it to us. */
  function takePrompt(messageId: string, text: string): void {
    const { taskId, contextId, state } = view;
    const at = new Date().toISOString();
    const parts = [{ type: "text" as const, text }];
    take({ kind: "USER_PROMPT", messageId, parts, origin: own, taskId, contextId, state, at });
  }

  async function followCommand(task: TaskHandle, text: string): Promise<void> {
    const isTold = client.followsSessions;
    if (!isTold) {
      running = task;
      takePrompt(randomUUID(), text);
    }
    try {
      for await (const event of task.events({ signal })) {
        if (!isTold && event.kind !== "USER_PROMPT") take(event);
      }
    } finally {
      running = undefined;
      // What it may have changed, the mode among it.
      await presence.refresh();
      notify();
    }
  }

  const isOwnPrompt = ({ origin }: QueuedPrompt) => origin?.name === clientName;

  /** Those of some prompts that waited for a task and ended with it; the others have had their turn. */
  async function findWithdrawn(waiting: readonly QueuedPrompt[]): Promise<readonly string[]> {
    const isUnsaid = ({ messageId }: QueuedPrompt) => !showsPrompt(view, messageId);
    const isOver = () => isTerminalState(view.state) || !waiting.some(isUnsaid);
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!isOver() && !signal.aborted) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
    return waiting.filter(isUnsaid).map(({ text }) => text);
  }

  const stopListening = client.onConnectionChange((next) => {
    connection = next;
    void presence.refresh();
    notify();
  });
  following = follow();
  const leave = client.followsSessions ? showAll() : () => {};
  const presence = watchPresence(handle, { signal, onChange: notify });

  return {
    view: () => view,
    generation: 1,
    status() {
      const isOver = view.taskId === sharedTaskId && isTerminalState(view.state);
      const trouble = fault ?? (isOver ? "the session has ended" : troubleOf(connection));
      const held = connection.status === "connected" ? [] : sending;
      return {
        model: "",
        endpoint: url,
        ...presence.status(),
        ...(trouble !== undefined && { trouble }),
        ...(isOver && { hasEnded: true }),
        ...(held.length > 0 && { held }),
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isOwn: ({ name }) => name === clientName,
    commands: () => options.commands,
    async prompt(text) {
      fault = undefined;
      sending = [...sending, text];
      notify();
      try {
        await handle.prompt(text, { signal });
      } finally {
        const place = sending.indexOf(text);
        sending = sending.filter((_, index) => index !== place);
        notify();
      }
      if (client.followsSessions) return;
      const sent = handle.view().items.findLast(({ event }) => event.kind === "USER_PROMPT");
      // Known at once where it began another task; else it comes when its turn does.
      if (sent?.event.kind === "USER_PROMPT" && handle.taskId !== view.taskId) {
        takePrompt(sent.event.messageId, text);
      }
      following ??= follow();
    },
    async runCommand(command) {
      const { contextId } = handle;
      const run = await client.run(command.path, command.args, { contextId, signal });
      if (run.task === undefined) return run.message;
      await followCommand(run.task, textOfCommand(command));
      return undefined;
    },
    async answer(toolCallId, answer) {
      const given = "newContent" in answer ? { newContent: answer.newContent } : answer.optionId;
      const asked = [running, handle].find((task) => task && isAskedIn(task, toolCallId)) ?? handle;
      try {
        const result = await asked.answer({ toolCallId }, given, { signal });
        following ??= follow();
        if (result.accepted) return { accepted: true };
        const { name, principal } = result.answeredBy;
        const reason = `${name || principal} answered first: ${result.selectedOptionId}`;
        return { accepted: false, reason };
      } catch (reason) {
        if (!isProtocolError(reason)) throw reason;
        return { accepted: false, reason: reason.message };
      }
    },
    async cancel() {
      // A command may run beside the turn, or wait behind it: the turn is what is meant.
      const isHandle = running === undefined || isUnfinished(handle.view());
      const waiting = isHandle ? view.queue.filter(isOwnPrompt) : [];
      await (isHandle ? handle : running)?.cancel({ signal }).catch(unlessOver);
      return await findWithdrawn(waiting);
    },
    history: (until) => readRemoteHistory(client, handle.taskId, until),
    async close() {
      closing.abort();
      notify();
      stopListening();
      leave();
      client.close();
      await Promise.all([following, telling?.idle()]);
    },
  };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** Only a task that everyone shares rests without a question. (DESIGN 3.12) */
function restsOpen(view: TaskView): boolean {
  return view.state === "input-required" && openQuestions(view).length === 0;
}

/** A turn that ended before the cancel arrived needs none. */
function unlessOver(reason: unknown): void {
  if (!isProtocolError(reason) || reason.code !== "task-not-cancelable") throw reason;
}

function isAskedIn(task: TaskHandle, toolCallId: string): boolean {
  return openQuestions(task.view()).some((question) => question.toolCallId === toolCallId);
}

function showsPrompt({ items }: TaskView, messageId: string): boolean {
  return items.some(({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId);
}

function textOfCommand({ path, args }: SessionCommand): string {
  return `/${[...path, args].join(" ")}`.trimEnd();
}

function troubleOf(connection: ConnectionState): string | undefined {
  switch (connection.status) {
    case "connected":
      return undefined;
    case "reconnecting":
      return `connection lost, trying again (${connection.attempt})`;
    case "disconnected":
    case "closed":
      return "disconnected";
  }
}
