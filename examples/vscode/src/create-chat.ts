import {
  type AgentClient,
  type Answer,
  type FileDiff,
  fileDiffOf,
  isProtocolError,
  OPTION_IDS,
  openQuestions,
  type SlashCommand,
  type TaskHandle,
  turnOf,
} from "@dt/client";
import type { ChatAction } from "./chat-message.js";
import type { EditorPort } from "./editor-port.js";
import { mergeItems } from "./merge-items.js";
import { parseSlashCommand } from "./slash-command.js";
import type { EditorTools } from "./tools/editor-tools.js";

export interface ChatOptions {
  readonly editor: EditorPort;
  readonly workspacePath: string | undefined;
  /** Stores the session id, so that a reloaded window finds it. */
  readonly memory: ChatMemory;
  /** The editor's tools. The settings of a new conversation name them as an MCP server. */
  readonly tools: Pick<EditorTools, "open" | "resume">;
  /** Connects to the agent. Called at the first action, and again after a failure. */
  connect(signal: AbortSignal): Promise<AgentClient>;
}

/** Stores the session id across a reload of the window. */
export interface ChatMemory {
  load(): string | undefined;
  save(contextId: string | undefined): void;
}

const LOST_TOOLS =
  "The agent can no longer see this window's files; begin a new conversation to let it see them.";

/** A chat with an agent. An {@link EditorPort} draws it. */
export interface Chat {
  /** Performs an action of the user. */
  act(action: ChatAction): Promise<void>;
  /** Approves a proposed change with the user's edits. */
  approve(toolCallId: string): Promise<void>;
  reject(toolCallId: string): Promise<void>;
  /** Disconnects from the agent, and aborts an attempt to connect. */
  close(): void;
}

/** Creates a chat without connecting. */
export function createChat(options: ChatOptions): Chat {
  const { editor, workspacePath, memory, tools, connect } = options;
  const closing = new AbortController();
  let connecting: Promise<AgentClient> | undefined;
  let lastSubmit: Promise<unknown> = Promise.resolve();
  let agent: AgentClient | undefined;
  let task: TaskHandle | undefined;
  let commands: readonly SlashCommand[] = [];
  let fault: string | undefined;
  /** Handles of the conversation and of the slash commands that ran beside it. */
  const handles: TaskHandle[] = [];
  const unsubscribers: (() => void)[] = [];
  const diffs = new Set<string>();
  let diffWork: Promise<void> = Promise.resolve();

  function show(): void {
    if (closing.signal.aborted) return;
    const items = mergeItems(handles.map((handle) => handle.view()));
    const connection = agent?.connection.status ?? "closed";
    const turn = task && turnOf(task.view()).status;
    editor.showChat({ items, turn, connection, commands, fault });
  }

  // region: snippet
  function follow(handle: TaskHandle): void {
    handles.push(handle);
    const changed = () => {
      // Updates of the diffs run one after another, because a diff must be open before it is closed.
      diffWork = diffWork.then(updateDiffs).catch(fail);
      show();
    };
    unsubscribers.push(handle.subscribe(changed, { onError: fail }));
    changed();
  }

  /** Opens a diff for each open question about a file and closes it when any client has answered. */
  async function updateDiffs(): Promise<void> {
    const open = handles.flatMap((handle) => openQuestions(handle.view()));
    for (const call of open) {
      const diff = fileDiffOf(call);
      if (diff === undefined || diffs.has(call.toolCallId)) continue;
      diffs.add(call.toolCallId);
      await editor.openDiff(call.toolCallId, diff);
    }
    for (const toolCallId of diffs) {
      if (open.some((call) => call.toolCallId === toolCallId)) continue;
      diffs.delete(toolCallId);
      await editor.closeDiff(toolCallId);
    }
  }
  // endregion

  function ready(): Promise<AgentClient> {
    connecting ??= start().catch((reason: unknown) => {
      connecting = undefined;
      throw reason;
    });
    return connecting;
  }

  async function start(): Promise<AgentClient> {
    closing.signal.throwIfAborted();
    const opened = await connect(closing.signal);
    closing.signal.addEventListener("abort", () => opened.close());
    try {
      closing.signal.throwIfAborted();
      commands = await opened.commands({ signal: closing.signal });
    } catch (reason) {
      opened.close();
      throw reason;
    }
    agent = opened;
    opened.onConnectionChange(show);
    await resume(opened);
    show();
    return opened;
  }

  /** Resumes the session of the previous window with its history and open questions. */
  async function resume(client: AgentClient): Promise<void> {
    const contextId = memory.load();
    if (contextId === undefined || task !== undefined) return;
    try {
      task = await client.openSession(contextId, { signal: closing.signal });
      follow(task);
      if (!(await tools.resume())) editor.notify(LOST_TOOLS);
    } catch (reason) {
      // A protocol error means that the agent does not have this session; the next prompt starts a new one.
      if (!isProtocolError(reason)) throw reason;
      memory.save(undefined);
    }
  }

  /** Leaves the conversation; the next prompt starts a new one. */
  async function startNewConversation(): Promise<void> {
    for (const unsubscribe of unsubscribers.splice(0)) unsubscribe();
    handles.length = 0;
    task = undefined;
    memory.save(undefined);
    diffWork = diffWork.then(updateDiffs).catch(fail);
    await diffWork;
  }

  /** Sends a text after all earlier texts, so that two quick prompts go to one conversation. */
  function submit(text: string): Promise<void> {
    const sent = lastSubmit.then(() => send(text));
    lastSubmit = sent.catch(() => {});
    return sent;
  }

  async function send(text: string): Promise<void> {
    const client = await ready();
    const command = parseSlashCommand(text, commands);
    if (command !== undefined) {
      const context = task === undefined ? {} : { contextId: task.contextId };
      const run = await client.run(command.path, command.args, context);
      if (run.task === undefined) throw new Error(run.message);
      // If the client follows whole sessions, the handle of the conversation already gets the events of the
      // command.
      const isShown = task !== undefined && client.followsSessions;
      return isShown ? undefined : follow(run.task);
    }
    if (task !== undefined) return await task.prompt(text);
    // region: start
    task = await client.startTask({
      prompt: text,
      // An agent takes settings only together with a workspace.
      ...(workspacePath !== undefined && {
        workspacePath,
        settings: { mcpServers: await tools.open() },
      }),
    });
    // endregion
    memory.save(task.contextId);
    follow(task);
  }

  async function answer(toolCallId: string, chosen: Answer): Promise<void> {
    const handle = handles.find((each) =>
      openQuestions(each.view()).some((call) => call.toolCallId === toolCallId),
    );
    if (handle === undefined) throw new Error("this question is no longer open");
    const result = await handle.answer({ toolCallId }, chosen);
    if (result.accepted) return;
    const winner = result.answeredBy.name || "someone else";
    editor.notify(`${winner} was first: ${result.selectedOptionId}`);
  }

  async function approve(toolCallId: string): Promise<void> {
    const proposed = findDiff(toolCallId)?.newContent;
    const text = editor.proposedText(toolCallId);
    const isEdited = text !== undefined && text !== proposed;
    await answer(toolCallId, isEdited ? { newContent: text } : OPTION_IDS.proceedOnce);
  }

  async function openDiff(toolCallId: string): Promise<void> {
    const diff = findDiff(toolCallId);
    if (diff !== undefined) await editor.openDiff(toolCallId, diff);
  }

  function findDiff(toolCallId: string): FileDiff | undefined {
    const calls = handles.flatMap((handle) => openQuestions(handle.view()));
    const call = calls.find((each) => each.toolCallId === toolCallId);
    return call && fileDiffOf(call);
  }

  function fail(reason: unknown): void {
    // The chat is closed, so there is nothing to show.
    if (closing.signal.aborted) return;
    fault = reason instanceof Error ? reason.message : String(reason);
    show();
  }

  /** Runs some work. If it fails, shows the failure in the chat. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    fault = undefined;
    await work().then(show, fail);
  }

  return {
    act: (action) =>
      attempt(async () => {
        switch (action.type) {
          case "ready":
            return await ready();
          case "submit":
            return await submit(action.text);
          case "answer":
            // The option to approve once approves the content of the diff editor, with the person's edits.
            return action.optionId === OPTION_IDS.proceedOnce
              ? await approve(action.toolCallId)
              : await answer(action.toolCallId, action.optionId);
          case "open-diff":
            return await openDiff(action.toolCallId);
          case "new":
            return await startNewConversation();
          case "stop":
            return await task?.cancel();
        }
      }),
    approve: (toolCallId) => attempt(() => approve(toolCallId)),
    reject: (toolCallId) => attempt(() => answer(toolCallId, OPTION_IDS.cancel)),
    close: () => closing.abort(new Error("the chat was closed")),
  };
}
