/// <reference types="node" />
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../errors/error-codes.js";
import { isProtocolError, ProtocolError } from "../errors/protocol-error.js";
import type { AgentEvent, SessionEvent } from "../event/agent-event.js";
import { reduceTaskView } from "../event/reduce-task-view.js";
import { advanceReply, type ReplyProgress } from "../event/reply-progress.js";
import { emptyTaskView } from "../event/task-view.js";
import { DEFAULT_EXTENSION_URIS } from "../extension/extension-uri.js";
import { EVENT_KINDS } from "../testing/arbitrary/arbitrary-event.js";
import { buildEvent } from "../testing/build-event.js";
import { RECORDED_TURN } from "../testing/recorded-turn.js";
import type { Dialect, StreamFrame, StreamStart } from "./dialect.js";
import { createDialects, DIALECT_FAMILIES } from "./dialect-table.js";
import { geminiDialect } from "./gemini-dialect/gemini-dialect.js";
import { guideDialect } from "./guide/guide-dialect.js";
import { notesDialect } from "./notes/notes-dialect.js";
import { referenceDialect } from "./reference/reference-dialect.js";

// These tests are the contract of every dialect. A new dialect adds lines to `dialects` and
// `badMessages`. `npx vitest run packages/schema/src/wire/dialect-contract.test.ts -u` writes the
// golden files.

const table = createDialects(DEFAULT_EXTENSION_URIS);
const ofA2a = (version: "0.3" | "1.0", developmentTool: boolean, session: boolean) =>
  table.ofTask(undefined, { version, developmentTool, session });

const dialects = {
  "canonical/golden/v0-3-plain": ofA2a("0.3", false, false),
  "canonical/golden/v0-3-development-tool": ofA2a("0.3", true, false),
  "canonical/golden/v0-3-session": ofA2a("0.3", true, true),
  "canonical/golden/v1-0-plain": ofA2a("1.0", false, false),
  "canonical/golden/v1-0-development-tool": ofA2a("1.0", true, false),
  "canonical/golden/v1-0-session": ofA2a("1.0", true, true),
  "guide/golden/guide": guideDialect,
  "gemini-dialect/golden/gemini": geminiDialect,
  "notes/golden/notes": notesDialect,
  "reference/golden/reference": referenceDialect,
} satisfies Record<string, Dialect>;

const rows = Object.entries<Dialect>(dialects).map(([file, dialect]) => ({ file, dialect }));
const empty = emptyTaskView("task-1", "context-1");
const view = RECORDED_TURN.slice(0, 7).reduce(reduceTaskView, empty);
const last = RECORDED_TURN.at(-1);
const newTask = { type: "message", isNewTask: true, queuePosition: 0 } as const;

/** Frames of the recorded turn, by the event that they come from. */
function framesOf(dialect: Dialect, stream: StreamStart = newTask) {
  const started = dialect.start(empty, stream);
  let { memory } = started;
  let reply: ReplyProgress | undefined;
  const events = RECORDED_TURN.map((event) => {
    const encoded = dialect.encodeEvent(memory, event, { isLast: event === last, reply });
    memory = encoded.memory;
    reply = advanceReply(reply, event);
    return { event: event.kind, frames: encoded.frames };
  });
  return [{ event: "start", frames: started.frames }, ...events];
}

const readable = (frames: readonly StreamFrame[]) =>
  frames.map(({ json, cursor, event }) => ({
    ...(event !== undefined && { event }),
    ...(cursor !== undefined && { cursor }),
    ...JSON.parse(json),
  }));

test.each(rows)(
  "the recorded turn is encoded as the golden frames in $file",
  async ({ file, dialect }) => {
    const turn = framesOf(dialect).map(({ event, frames }) => ({
      event,
      frames: readable(frames),
    }));
    const starts: readonly StreamStart[] = [
      { type: "message", isNewTask: false, queuePosition: 0 },
      { type: "message", isNewTask: true, queuePosition: 2 },
      { type: "repeated-question" },
      { type: "subscription" },
      { type: "resumed" },
      { type: "joined", others: [{ ...view, taskId: "task-2", cursor: "0.x" }] },
      { type: "command" },
      { type: "events" },
    ];
    const golden = {
      turn,
      starts: starts.map((start) => ({
        start: start.type,
        frames: readable(dialect.start(view, start).frames),
      })),
      task: dialect.encodeTask(view),
      reply: dialect.encodeReply({ task: view, turn: view, queuePosition: 0 }),
      pushes: RECORDED_TURN.map((event) => dialect.encodePush(event)),
      pushedTask: dialect.encodePushTask(view),
    };

    await compareWithFile(golden, `${file}.json`);
  },
);

/** Events of every kind, by the name of their golden file. */
const everyEvent = readEvents(new URL("../testing/golden/", import.meta.url));

test("the golden files of the dialects have every kind of event", () => {
  const kinds = new Set(everyEvent.map(({ event }) => event.kind));

  expect([...kinds].sort()).toEqual([...EVENT_KINDS].sort());
});

test.each(rows)("every kind of event in $file has its golden frames", async ({ file, dialect }) => {
  const golden = everyEvent.map(({ name, event }) => {
    const { memory } = dialect.start(empty, { type: "events" });
    const { frames } = dialect.encodeEvent(memory, event, { isLast: false, reply: "none" });
    return { name, frames: readable(frames), push: dialect.encodePush(event).type };
  });

  await compareWithFile(golden, `${file}-events.json`);
});

function readEvents(folder: URL) {
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as GoldenEvent)
    .filter(({ event }) => event !== undefined);
}

interface GoldenEvent {
  readonly name: string;
  readonly event: SessionEvent;
}

// Vitest writes a missing file and passes. This function then fails the test, so that somebody reads the
// new file.
async function compareWithFile(golden: unknown, file: string): Promise<void> {
  const isStored = existsSync(new URL(file, import.meta.url));
  await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot(file);
  expect(isStored, `${file} was missing; read it, and run the test again`).toBe(true);
}

test.each(rows)("the dialect of $file encodes equal events as equal frames", ({ dialect }) => {
  expect(framesOf(dialect)).toEqual(framesOf(dialect));
});

const sharing = rows.filter(({ dialect }) => dialect.sharesFrames);
test.each(sharing)(
  "the dialect of $file encodes every event but the last independently of earlier events",
  ({ dialect }) => {
    const { memory } = dialect.start(empty, { type: "events" });
    let reply: ReplyProgress | undefined;

    for (const [index, event] of RECORDED_TURN.slice(0, -1).entries()) {
      const alone = dialect.encodeEvent(memory, event, { isLast: false, reply }).frames;
      const { frames } = framesOf(dialect)[index + 1] ?? {};
      reply = advanceReply(reply, event);

      expect(alone).toEqual(frames);
      // Only the last frame has the cursor, so that a client with the cursor has all frames of the event.
      const cursors = alone.map(({ cursor }) => cursor);
      expect(cursors).toEqual(alone.map((_, at) => (alone[at + 1] ? undefined : event.cursor)));
    }
  },
);

/** Events of kinds that clients without the session extension do not know. */
const sessionEvents = [
  { kind: "TODOS", todos: [{ description: "test it", status: "PENDING" }] },
  {
    kind: "USAGE",
    report: { turn: undefined, session: undefined, contextTokens: 1, contextLimit: 0 },
  },
  { kind: "MODE", mode: { mode: "yolo", origin: undefined } },
  { kind: "TITLE", title: "say hello" },
  { kind: "WARNING", warning: { message: "the disk is full" } },
  {
    kind: "BACKGROUND_PROCESS",
    backgroundProcess: { processId: "1", command: "npm start", state: "RUNNING", toolCallId: "" },
  },
  {
    kind: "ACCESS",
    access: { action: "GRANTED", user: "bob", role: "prompt", expiresAt: "", origin: undefined },
  },
  { kind: "REWOUND", rewound: { messageId: "message-1", origin: undefined, restoredFiles: false } },
] as const satisfies readonly AgentEvent[];

test.each(rows)(
  "$file sends events of the session extension only to clients of that extension",
  ({ file, dialect }) => {
    const { memory } = dialect.start(empty, { type: "events" });
    const encoded = sessionEvents.map((event, index) => {
      const stamped = buildEvent(event, { cursor: `${index}.x` });
      const { frames } = dialect.encodeEvent(memory, stamped, { isLast: false });
      return { frames: frames.length, push: dialect.encodePush(stamped).type };
    });
    const sent = file.endsWith("-session")
      ? { frames: 1, push: "body" }
      : { frames: 0, push: "nothing" };

    expect(encoded).toEqual(sessionEvents.map(() => sent));
  },
);

test.each(rows)(
  "the dialect of $file shows a session's facts only to clients of the session extension",
  ({ file, dialect }) => {
    const facts = sessionEvents.map((event) => buildEvent(event)).reduce(reduceTaskView, empty);

    const json = JSON.stringify([dialect.encodeTask(facts), dialect.start(facts, newTask)]);

    expect(json.includes("say hello")).toBe(file.endsWith("-session"));
  },
);

test.each(rows)(
  "the dialect of $file encodes every error, and hides the details of an internal fault",
  ({ dialect }) => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const { status, body } = dialect.encodeError(new ProtocolError(code, "no"), 7);

      expect(JSON.stringify(body)).toContain("no");
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(600);
    }
    const unknown = Object.assign(new ProtocolError("internal", "a secret"), { code: "newer" });
    for (const fault of [new Error("a secret"), unknown]) {
      const { body } = dialect.encodeError(fault, 7);
      expect(JSON.stringify(body)).not.toContain("secret");
    }
  },
);

const textRows = rows.filter(({ dialect }) => dialect.name !== "guide");
test.each(textRows)("$file sends the text that explains a state [SRV-07]", ({ dialect }) => {
  const statusParts = [{ type: "text", text: "which file?" }] as const;

  for (const state of ["input-required", "auth-required", "completed", "rejected"] as const) {
    const event = buildEvent({ kind: "STATE_CHANGE", statusParts }, { state });
    const { memory } = dialect.start(empty, { type: "events" });
    const { frames } = dialect.encodeEvent(memory, event, { isLast: true, reply: "none" });

    expect(JSON.stringify(frames)).toContain("which file?");
  }
});

/** Builds a message of gemini-cli's clients. */
function gemini(parts: readonly unknown[], coderAgent?: unknown) {
  const metadata = { coderAgent };
  return { message: { kind: "message", messageId: "m", role: "user", parts, metadata } };
}
const hi = [{ kind: "text", text: "hi" }];
const answer = (data: unknown) => [{ kind: "data", data }];

const badMessages: readonly (readonly [keyof typeof dialects, unknown, string])[] = [
  ["canonical/golden/v0-3-session", undefined, "params: "],
  ["canonical/golden/v0-3-session", {}, "message: required"],
  ["canonical/golden/v0-3-session", { message: "hi" }, "message: "],
  [
    "canonical/golden/v0-3-session",
    { message: { messageId: "m", role: "user", parts: [] } },
    "message.parts: ",
  ],
  [
    "canonical/golden/v1-0-session",
    { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: 5 }] } },
    "message.parts[0]",
  ],
  [
    "canonical/golden/v1-0-plain",
    {
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] },
      configuration: { historyLength: -1 },
    },
    "configuration.historyLength: ",
  ],
  ["guide/golden/guide", undefined, "params: "],
  ["guide/golden/guide", { message: { content: {} } }, "message.content: "],
  ["guide/golden/guide", { message: { content: { text: 5 } } }, "message.content.text: "],
  [
    "guide/golden/guide",
    { message: { content: { data: { selected_option_id: "cancel" } } } },
    "message.content.data.tool_call_id: ",
  ],
  ["gemini-dialect/golden/gemini", {}, "message: required"],
  ["gemini-dialect/golden/gemini", gemini([], {}), "message.parts: "],
  ["gemini-dialect/golden/gemini", gemini(hi, "x"), "message.metadata.coderAgent: "],
  [
    "gemini-dialect/golden/gemini",
    gemini(hi, { kind: "agent-settings", workspacePath: 5 }),
    "message.metadata.coderAgent.workspacePath: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini(hi, { kind: "agent-settings", autoExecute: "yes" }),
    "message.metadata.coderAgent.autoExecute: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini(answer({ callId: "c", outcome: "whatever" })),
    "message.parts[0].data.outcome: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini(answer({ callId: "c", outcome: "modify_with_editor", newContent: "x" })),
    "message.parts[0].data.outcome: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini(answer({ callId: "", outcome: "cancel" })),
    "message.parts[0].data.callId: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini(answer({ callId: "c", outcome: "proceed_once", newContent: 5 })),
    "message.parts[0].data.newContent: ",
  ],
  [
    "gemini-dialect/golden/gemini",
    gemini([...answer({ callId: "c", outcome: "cancel" }), ...hi]),
    "message.parts[1]: ",
  ],
  ["reference/golden/reference", undefined, "body: "],
  ["reference/golden/reference", {}, "body: expected either message or confirmation"],
  [
    "reference/golden/reference",
    { message: "hi", confirmation: { toolCallId: "c", approved: true } },
    "body: expected either message or confirmation",
  ],
  ["reference/golden/reference", { message: 5 }, "message: "],
  ["reference/golden/reference", { message: "" }, "message: expected a text"],
  ["reference/golden/reference", { confirmation: "yes" }, "confirmation: "],
  [
    "reference/golden/reference",
    { confirmation: { approved: true } },
    "confirmation.toolCallId: required",
  ],
  [
    "reference/golden/reference",
    { confirmation: { toolCallId: "c" } },
    "confirmation.approved: expected true or false",
  ],
  [
    "reference/golden/reference",
    { confirmation: { toolCallId: "c", approved: "yes" } },
    "confirmation.approved: ",
  ],
  [
    "reference/golden/reference",
    { confirmation: { toolCallId: "c", approved: true, optionId: "cancel" } },
    "confirmation: expected either approved or optionId",
  ],
  [
    "reference/golden/reference",
    { confirmation: { toolCallId: "c", approved: true, newContent: 5 } },
    "confirmation.newContent: ",
  ],
  ["notes/golden/notes", undefined, "body: "],
  ["notes/golden/notes", {}, "userMessage: required"],
  ["notes/golden/notes", { userMessage: 5 }, "userMessage: "],
  ["notes/golden/notes", { userMessage: { kind: "command" } }, "userMessage.kind: "],
  [
    "notes/golden/notes",
    { userMessage: { kind: "tool-call-confirmation", toolCallId: "c", approved: "yes" } },
    "userMessage.approved: ",
  ],
];

test.each(badMessages)(
  "the dialect of %s refuses %j with the path of the fault",
  (file, params, path) => {
    const fault = catchFault(() => dialects[file].decodeMessage(params));

    expect(fault).toSatisfy(isProtocolError);
    expect(String((fault as Error).message)).toContain(path);
  },
);

test("no two dialects have the same key, and every family has a dialect in these tests", () => {
  const keys = rows.map(({ dialect }) => dialect.key);
  const names = new Set(rows.map(({ dialect }) => dialect.name));

  expect(new Set(keys).size).toBe(keys.length);
  expect([...names].sort()).toEqual(DIALECT_FAMILIES.map(({ name }) => name).sort());
});

test("every family has a bad message in these tests", () => {
  const named = new Set(badMessages.map(([file]) => dialects[file].name));

  expect([...named].sort()).toEqual(DIALECT_FAMILIES.map(({ name }) => name).sort());
});

function catchFault(run: () => unknown): unknown {
  try {
    run();
  } catch (fault) {
    return fault;
  }
  return undefined;
}
