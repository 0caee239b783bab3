import { describe, expect, test } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { AccessChange } from "../gen/dt_session/event.js";
import { type AgentDriver, driveAgent, replyOrRefuse } from "./agent-driver.js";
import { type Caller, toOrigin } from "./caller.js";
import type { SessionReply } from "./session-reply.js";
import type { SessionRequest } from "./session-request.js";

const access: AccessChange = {
  action: "GRANTED",
  user: "bob",
  role: "prompt",
  expiresAt: "2026-01-02T00:00:00.000Z",
  origin: { principal: "ada", name: "Ada's IDE" },
};
const caller: Caller = { user: "ada", credential: "token-1", name: "Ada's IDE", role: "approve" };
const ticket = { taskId: "task-1", turn: 3, afterPosition: 7 };
const prompt = { messageId: "m", taskId: "task-1", parts: [], mode: "plan" } as const;
const answers = [{ toolCallId: "call-1", selectedOptionId: "cancel", modifiedDetails: undefined }];
const command = { messageId: "m", taskId: "task-1", path: ["memory", "add"], args: "x" };
const started = { status: "STARTED", message: "", ticket } as const;
const modes: SessionReply = { type: "modes", mode: "plan", startMode: "default", others: [] };
const permissions = [{ number: 1, covers: "all edits", givenBy: toOrigin(caller) }];
const metadata = { model: "m", mcpServers: [], availableTools: [] };
const verdicts = [{ accepted: false, reason: "unknown" }] as const;
const commands = [{ name: "help", description: "", arguments: [], subCommands: [] }];

type Row = readonly [
  name: keyof AgentDriver,
  call: (driver: AgentDriver) => Promise<unknown>,
  request: SessionRequest,
  reply: SessionReply,
  result: unknown,
];

const rows: readonly Row[] = [
  [
    "prompt",
    (driver) => driver.prompt(prompt, caller),
    { ...prompt, type: "prompt" },
    { type: "ticket", ticket },
    ticket,
  ],
  [
    "steer",
    (driver) => driver.steer(prompt, caller),
    { ...prompt, type: "steer" },
    { type: "ticket", ticket },
    ticket,
  ],
  [
    "withdraw",
    (driver) => driver.withdraw("m", caller),
    { type: "withdraw", messageId: "m" },
    { type: "changed", isChanged: true },
    true,
  ],
  [
    "answer",
    (driver) => driver.answer({ answers, messageId: "m" }, caller),
    { type: "answer", answers, messageId: "m" },
    { type: "answered", verdicts },
    verdicts,
  ],
  [
    "cancel",
    (driver) => driver.cancel("task-1", caller),
    { type: "cancel", taskId: "task-1" },
    { type: "changed", isChanged: false },
    false,
  ],
  [
    "retry",
    (driver) => driver.retry(caller),
    { type: "retry" },
    { type: "ticket", ticket },
    ticket,
  ],
  ["retry", (driver) => driver.retry(caller), { type: "retry" }, { type: "ticket" }, undefined],
  [
    "runCommand",
    (driver) => driver.runCommand(command, caller),
    { ...command, type: "command" },
    { ...started, type: "command" },
    started,
  ],
  [
    "listCommands",
    (driver) => driver.listCommands(caller),
    { type: "list-commands" },
    { type: "commands", commands },
    commands,
  ],
  [
    "openTask",
    (driver) => driver.openTask("task-1", caller),
    { type: "open-task", taskId: "task-1" },
    { type: "ticket", ticket },
    ticket,
  ],
  [
    "openTask",
    (driver) => driver.openTask("task-1", caller, { taskMode: "yolo" }),
    { type: "open-task", taskId: "task-1", taskMode: "yolo" },
    { type: "ticket", ticket },
    ticket,
  ],
  ["getModes", (driver) => driver.getModes(caller), { type: "get-modes" }, modes, modes],
  [
    "getMetadata",
    (driver) => driver.getMetadata(caller),
    { type: "get-metadata" },
    { type: "metadata", metadata },
    metadata,
  ],
  [
    "listPermissions",
    (driver) => driver.listPermissions(caller),
    { type: "list-permissions" },
    { type: "permissions", permissions },
    permissions,
  ],
  [
    "forgetPermissions",
    (driver) => driver.forgetPermissions([1, 2], caller),
    { type: "forget-permissions", numbers: [1, 2] },
    { type: "changed", isChanged: true },
    true,
  ],
  [
    "announceAccess",
    (driver) => driver.announceAccess(access, caller),
    { type: "announce-access", access },
    { type: "changed", isChanged: true },
    true,
  ],
  [
    "finish",
    (driver) => driver.finish(caller),
    { type: "finish" },
    { type: "changed", isChanged: true },
    true,
  ],
];

describe.each(rows)("the driver method %s", (_name, call, request, reply, result) => {
  test("a driver method sends one request with the caller and returns the reply's content", async () => {
    const { driver, handled } = agentThatReplies(reply);

    expect(await call(driver)).toStrictEqual(result);
    expect(handled).toStrictEqual([[request, caller]]);
  });

  test("a driver method throws if the type of the reply belongs to another type of request", async () => {
    const other: SessionReply = reply.type === "modes" ? { type: "ticket" } : modes;

    await expect(call(agentThatReplies(other).driver)).rejects.toThrow(
      `the agent answered ${request.type} with a reply of type ${other.type}`,
    );
  });
});

test("the driver throws if an accepted message has no ticket", async () => {
  const { driver } = agentThatReplies({ type: "ticket" });

  await expect(driver.prompt(prompt, caller)).rejects.toThrow(
    "the agent accepted the message without a ticket",
  );
});

test.each([{ data: { limit: 3 } }, {}])(
  "the driver throws an equal ProtocolError if the agent refuses with the options %j",
  async (more) => {
    const refusal = new ProtocolError("invalid-message", "no", more);
    const reply = await replyOrRefuse(() => Promise.reject(refusal));

    const thrown = agentThatReplies(reply).driver.finish(caller);

    expect(reply).toStrictEqual({
      type: "refused",
      code: "invalid-message",
      message: "no",
      ...more,
    });
    await expect(thrown).rejects.toStrictEqual(refusal);
  },
);

test("replyOrRefuse returns replies and rethrows faults", async () => {
  const fault = new Error("disk full");

  expect(await replyOrRefuse(async () => modes)).toBe(modes);
  await expect(replyOrRefuse(() => Promise.reject(fault))).rejects.toBe(fault);
});

test("toOrigin keeps the user and the name, and drops the credential", () => {
  expect(toOrigin(caller)).toStrictEqual({ principal: "ada", name: "Ada's IDE" });
});

function agentThatReplies(reply: SessionReply) {
  const handled: [SessionRequest, Caller][] = [];
  const driver = driveAgent({
    handle: async (request, from) => {
      handled.push([request, from]);
      return reply;
    },
  });
  return { driver, handled };
}
