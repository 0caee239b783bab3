import { EventEmitter, once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { type AgentClient, type SlashCommand, type TaskHandle, textOf } from "@dt/client";
import { buildEditQuestion, createFakeAgent, type FakeAgentOptions } from "@dt/client/testing";
import { expect, test } from "vitest";
import type { ChatState } from "./chat-message.js";
import { createChat } from "./create-chat.js";
import type { EditorPort } from "./editor-port.js";

const memory: SlashCommand = {
  name: "memory",
  description: "",
  arguments: [],
  subCommands: [{ name: "add", description: "", arguments: [], subCommands: [] }],
};

/** An editor that serves no tools. */
const tools = { open: async () => ({}), resume: async () => true };

const edit = buildEditQuestion({ oldContent: "old", newContent: "new" });

/** A fake editor that records its calls. */
function createEditor() {
  const shown = new EventEmitter();
  const opened: string[] = [];
  const closed: string[] = [];
  const notifications: string[] = [];
  let chat: ChatState | undefined;
  let text: string | undefined;
  const port: EditorPort = {
    showChat: (next) => {
      chat = next;
      shown.emit("change");
    },
    async openDiff(toolCallId, diff) {
      opened.push(toolCallId);
      text = diff.newContent;
      shown.emit("change");
    },
    proposedText: () => text,
    async closeDiff(toolCallId) {
      closed.push(toolCallId);
      text = undefined;
      shown.emit("change");
    },
    notify: (message) => notifications.push(message),
  };
  return {
    port,
    opened,
    closed,
    notifications,
    type: (edited: string) => {
      text = edited;
    },
    get chat() {
      return chat;
    },
    /** Waits until a value of the editor equals the expected one. */
    async shows<TValue>(read: () => TValue, value: TValue): Promise<void> {
      while (!isDeepStrictEqual(read(), value)) await once(shown, "change");
    },
    /** The items of the chat, one line each. */
    lines: () =>
      chat?.items.map(({ event }) => {
        if (event.kind === "USER_PROMPT") return `> ${textOf(event.parts)}`;
        if (event.kind === "TEXT_CONTENT") return event.text;
        if (event.kind === "TOOL_CALL_UPDATE")
          return `${event.toolCall.toolName} ${event.toolCall.status}`;
        return event.kind;
      }),
  };
}

function openChat(options: FakeAgentOptions) {
  const agent = createFakeAgent(options);
  const editor = createEditor();
  const clients: AgentClient[] = [];
  const connect = async () => {
    const client = await agent.connect({
      clientName: "VS Code",
      reconnect: { baseMs: 1, maxMs: 5 },
    });
    clients.push(client);
    return client;
  };
  const memory = createMemory();
  const chat = createChat({ editor: editor.port, workspacePath: "/w", memory, tools, connect });
  return {
    agent,
    editor,
    chat,
    clients,
    memory,
    /** Reloads the window; only the memory is kept. */
    reload() {
      chat.close();
      const fresh = createEditor();
      const port = fresh.port;
      return {
        editor: fresh,
        chat: createChat({ editor: port, workspacePath: "/w", memory, tools, connect }),
      };
    },
    [Symbol.dispose]: () => chat.close(),
  };
}

function createMemory() {
  let session: string | undefined;
  return {
    load: () => session,
    save: (contextId: string | undefined) => {
      session = contextId;
    },
  };
}

async function openOnlyTask(client: AgentClient): Promise<TaskHandle> {
  for await (const { taskId } of client.listTasks()) return await client.openTask(taskId);
  throw new Error("there is no task");
}

/** An agent that asks about an edit and sends the chosen option as text. */
const asksForEdit: FakeAgentOptions = {
  async script(turn) {
    const [answer] = await turn.ask(edit);
    const edited = answer?.modifiedDetails?.value.newContent;
    turn.update({
      ...edit,
      status: answer?.selectedOptionId === "cancel" ? "CANCELLED" : "SUCCEEDED",
    });
    turn.say(`${answer?.selectedOptionId} ${edited ?? ""}`.trim());
  },
};

test("approving from the chat sends the content that was edited in the diff [RFC-21]", async () => {
  using stage = openChat(asksForEdit);

  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);
  stage.editor.type("mine");
  await stage.chat.act({ type: "answer", toolCallId: "call-1", optionId: "proceed_once" });

  await stage.editor.shows(() => stage.editor.lines()?.at(-1), "proceed_once mine");
});

test("the reply to a prompt streams into the chat, and the next prompt continues the session", async () => {
  using stage = openChat({});

  await stage.chat.act({ type: "submit", text: "hello" });
  await stage.editor.shows(() => stage.editor.lines(), ["> hello", "hello"]);
  await stage.chat.act({ type: "submit", text: "again" });

  await stage.editor.shows(() => stage.editor.lines(), ["> hello", "hello", "> again", "again"]);
  expect(stage.clients).toHaveLength(1);
});

test("a question about a file opens its diff, and an approval closes the diff [RFC-19]", async () => {
  using stage = openChat(asksForEdit);

  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);
  await stage.chat.approve("call-1");

  await stage.editor.shows(() => stage.editor.closed, ["call-1"]);
  await stage.editor.shows(() => stage.editor.lines()?.at(-1), "proceed_once");
});

test("a rejected change is answered with cancel [RFC-20]", async () => {
  using stage = openChat(asksForEdit);

  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);
  await stage.chat.reject("call-1");

  await stage.editor.shows(() => stage.editor.lines()?.at(-1), "cancel");
});

test("a diff closes when another client answers, and a late answer shows the winner [CLI-13, CLI-14]", async () => {
  using stage = openChat(asksForEdit);
  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);
  const other = await stage.agent.connect({ clientName: "phone" });
  const theirs = await openOnlyTask(other);

  // Both answers are sent before either result arrives.
  await Promise.all([theirs.answer(edit, "cancel"), stage.chat.approve("call-1")]);
  other.close();

  expect(stage.editor.notifications).toEqual(["phone was first: cancel"]);
  await stage.editor.shows(() => stage.editor.closed, ["call-1"]);
});

test.each([
  ["with", true],
  ["without", false],
])(
  "slash commands of an agent %s cursors are listed, and their items are shown once [RFC-22, RFC-23]",
  async (_, hasCursors) => {
    using stage = openChat({
      hasCursors,
      commands: [memory],
      commandScripts: {
        async "memory add"(turn) {
          turn.say(`remembered ${turn.text}`);
        },
      },
    });

    await stage.chat.act({ type: "ready" });
    expect(stage.editor.chat?.commands).toEqual([memory]);
    await stage.chat.act({ type: "submit", text: "hello" });
    await stage.chat.act({ type: "submit", text: "/memory add use tabs" });
    await stage.editor.shows(() => stage.editor.lines()?.at(-1)?.startsWith("remembered"), true);
    await stage.chat.act({ type: "submit", text: "bye" });

    await stage.editor.shows(() => stage.editor.lines()?.at(-1), "bye");
    const lines = stage.editor.lines() ?? [];
    expect(lines.filter((line) => line !== "> use tabs")).toEqual([
      "> hello",
      "hello",
      "remembered use tabs",
      "> bye",
      "bye",
    ]);
  },
);

test("the chat shows that no agent answers and retries with the next prompt", async () => {
  const agent = createFakeAgent();
  const editor = createEditor();
  let isThere = false;
  const chat = createChat({
    editor: editor.port,
    workspacePath: undefined,
    memory: createMemory(),
    tools,
    async connect() {
      if (!isThere) throw new Error("no agent answers");
      return await agent.connect();
    },
  });

  await chat.act({ type: "ready" });
  expect(editor.chat?.fault).toBe("no agent answers");
  isThere = true;
  await chat.act({ type: "submit", text: "hello" });

  expect(editor.chat?.fault).toBeUndefined();
  await editor.shows(() => editor.lines(), ["> hello", "hello"]);
  chat.close();
});

test("the chat shows a broken connection and recovers the whole text [LOG-02]", async () => {
  let continueTurn = () => {};
  const gate = new Promise<void>((resolve) => {
    continueTurn = resolve;
  });
  using stage = openChat({
    async script(turn) {
      turn.say("one ");
      await gate;
      turn.say("two");
    },
  });
  await stage.chat.act({ type: "submit", text: "count" });
  await stage.editor.shows(() => stage.editor.lines()?.at(-1), "one ");

  stage.agent.network.goOffline();
  await stage.editor.shows(() => stage.editor.chat?.connection, "reconnecting");
  continueTurn();
  stage.agent.network.goOnline();

  await stage.editor.shows(() => stage.editor.chat?.turn, "completed");
  expect(stage.editor.lines()?.at(-1)).toBe("one two");
  expect(stage.editor.chat?.connection).toBe("connected");
});

test("the stop action cancels the turn", async () => {
  using stage = openChat(asksForEdit);
  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);

  await stage.chat.act({ type: "stop" });

  await stage.editor.shows(() => stage.editor.chat?.turn, "canceled");
  await stage.editor.shows(() => stage.editor.closed, ["call-1"]);
});

test("two quick submits go to one conversation", async () => {
  using stage = openChat({});

  await Promise.all([
    stage.chat.act({ type: "submit", text: "one" }),
    stage.chat.act({ type: "submit", text: "two" }),
  ]);

  await stage.editor.shows(() => stage.editor.lines(), ["> one", "one", "> two", "two"]);
  const [client] = stage.clients;
  const contexts = new Set<string>();
  for await (const { contextId } of client?.listTasks() ?? []) contexts.add(contextId);
  expect(contexts.size).toBe(1);
});

test("a failed submit does not block the next submit", async () => {
  using stage = openChat({});
  await stage.chat.act({ type: "ready" });

  const results = Promise.all([
    stage.chat.act({ type: "submit", text: "/nope" }),
    stage.chat.act({ type: "submit", text: "two" }),
  ]);

  await results;
  await stage.editor.shows(() => stage.editor.lines()?.slice(-2), ["> two", "two"]);
});

test.each(["while it connects", "while it asks for commands", "when it is connected"])(
  "closing a chat %s leaves no connection open",
  async (when) => {
    const agent = createFakeAgent();
    const editor = createEditor();
    const clients: AgentClient[] = [];
    const chat = createChat({
      editor: editor.port,
      workspacePath: undefined,
      memory: createMemory(),
      tools,
      async connect() {
        const client = await agent.connect();
        clients.push(client);
        if (when === "while it connects") chat.close();
        if (when === "while it asks for commands") queueMicrotask(() => chat.close());
        return client;
      },
    });

    await chat.act({ type: "submit", text: "hello" });
    if (when === "when it is connected") chat.close();
    await chat.act({ type: "submit", text: "again" });

    expect(clients.map(({ connection }) => connection.status)).toEqual(["closed"]);
  },
);

test("a reloaded window shows its conversation and can answer its open question", async () => {
  using stage = openChat(asksForEdit);
  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);

  const { editor, chat } = stage.reload();
  await chat.act({ type: "ready" });
  await editor.shows(() => editor.opened, ["call-1"]);
  expect(editor.lines()).toEqual(["> edit", "replace PENDING"]);
  await chat.approve("call-1");
  await editor.shows(() => editor.lines()?.at(-1), "proceed_once");
  await chat.act({ type: "submit", text: "edit" });
  await editor.shows(() => editor.opened.length, 2);
  chat.close();

  expect(editor.lines()?.filter((line) => line === "> edit")).toHaveLength(2);
});

test("the next prompt starts a new session if the agent no longer has the stored session", async () => {
  using stage = openChat({});
  stage.memory.save("gone");

  await stage.chat.act({ type: "ready" });
  expect(stage.editor.chat?.fault).toBeUndefined();
  expect(stage.memory.load()).toBeUndefined();
  await stage.chat.act({ type: "submit", text: "hello" });

  await stage.editor.shows(() => stage.editor.lines(), ["> hello", "hello"]);
  expect(stage.memory.load()).toBeDefined();
});

test("a notification says that a continued conversation can no longer reach the window's tools", async () => {
  using stage = openChat({});
  await stage.chat.act({ type: "submit", text: "hello" });
  const editor = createEditor();
  const lost = { ...tools, resume: async () => false };
  const connect = () => stage.agent.connect();
  const { memory } = stage;
  const chat = createChat({
    editor: editor.port,
    workspacePath: "/w",
    memory,
    tools: lost,
    connect,
  });

  await chat.act({ type: "ready" });
  chat.close();

  expect(editor.notifications).toEqual([expect.stringContaining("begin a new conversation")]);
});

test("a new conversation starts empty in another session and closes the old diff", async () => {
  using stage = openChat(asksForEdit);
  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1"]);
  const before = stage.memory.load();

  await stage.chat.act({ type: "new" });
  expect(stage.editor.closed).toEqual(["call-1"]);
  expect(stage.editor.lines()).toEqual([]);
  await stage.chat.act({ type: "submit", text: "edit" });
  await stage.editor.shows(() => stage.editor.opened, ["call-1", "call-1"]);

  expect(stage.memory.load()).not.toBe(before);
});
