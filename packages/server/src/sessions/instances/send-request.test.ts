import type { SessionReply, SessionRequest } from "@dt/schema";
import { expect, test } from "vitest";
import { createAttachments } from "../../log/attachments.js";
import type { Inbox, InboxRequest, InboxState } from "../../store/instances/instance-store.js";
import type { PushRecord } from "../../store/push-record.js";
import type { StoredReceipt } from "../../store/session-store.js";
import { sendToOwner } from "./send-request.js";

const CALLER = { user: "ada", name: "ada/laptop", credential: "token:1", role: "admin" } as const;
const PROMPT: SessionRequest = { type: "prompt", messageId: "m", taskId: "t", parts: [] };
const TICKET = { taskId: "t", turn: 2, afterPosition: 7 };
const REPLY: SessionReply = { type: "ticket", ticket: TICKET };

/** Sends a request to an inbox that is in the given states, one after the other. */
function openSender(states: readonly InboxState[], isWithdrawn = true) {
  const waiting = [...states];
  const stage = {
    added: [] as InboxRequest[],
    calls: [] as string[],
    elapsedMs: 0,
    waitMs: 1_000,
    receipt: undefined as StoredReceipt | undefined,
    asked: [] as string[],
    pushes: createAttachments<PushRecord>(),
    newDialects: new Map<string, string>(),
  };
  const note = (name: string) => async (id: string) => void stage.calls.push(`${name} ${id}`);
  const inbox = {
    async add(request) {
      stage.added.push(request);
      return "id";
    },
    readState: async () => waiting.shift() ?? { type: "waiting" },
    async waitForChange(id) {
      await note("wait")(id);
      stage.elapsedMs += stage.waitMs;
    },
    async withdraw(id) {
      await note("withdraw")(id);
      return isWithdrawn;
    },
    remove: note("remove"),
  } as Partial<Inbox> as Inbox;
  return Object.assign(stage, {
    send: (request: SessionRequest = PROMPT) =>
      sendToOwner(request, CALLER, {
        log: { contextId: "context", pushes: stage.pushes, newDialects: stage.newDialects },
        store: {
          async findReceipt(user, messageId) {
            stage.asked.push(`${user} ${messageId}`);
            return stage.receipt;
          },
        },
        instances: { inbox, leaseMs: 15_000 },
        credentials: { publish: note("publish") },
        elapsedMs: () => stage.elapsedMs,
      }),
  });
}

test("the reply of the owner is returned, and the request is removed from the inbox [SRV-27]", async () => {
  const stage = openSender([
    { type: "waiting" },
    { type: "claimed" },
    { type: "answered", reply: REPLY },
  ]);

  expect(await stage.send()).toEqual(REPLY);
  expect(stage.calls).toEqual(["publish token:1", "wait id", "wait id", "remove id"]);
  expect(stage.added).toEqual([{ contextId: "context", request: PROMPT, caller: CALLER }]);
});

test("a request contains the push config and the dialect that were attached to its message [SRV-27]", async () => {
  const stage = openSender([{ type: "answered", reply: REPLY }]);
  const push = { configId: "p" } as PushRecord;
  stage.pushes.attach({ user: "ada", messageId: "m" }, push);
  stage.newDialects.set("t", "gemini");

  await stage.send();

  expect(stage.added[0]).toMatchObject({ push, dialect: "gemini" });
  expect(stage.pushes.take({ user: "ada", messageId: "m" })).toBeUndefined();
});

test("a request that nobody takes in time is withdrawn and refused", async () => {
  const stage = openSender([]);

  await expect(stage.send({ type: "cancel", taskId: "t" } as SessionRequest)).rejects.toMatchObject(
    {
      code: "agent-busy",
      message:
        "the session is open in another instance, which does not answer; send the message again later",
    },
  );
  expect(stage.calls).toEqual(["publish token:1", ...Array(20).fill("wait id"), "withdraw id"]);
});

test("if a request is being handled at its deadline, the sender waits for the reply", async () => {
  const stage = openSender(
    [...Array(21).fill({ type: "claimed" }), { type: "answered", reply: REPLY }],
    false,
  );

  expect(await stage.send()).toEqual(REPLY);
  expect(stage.calls.slice(21)).toEqual(["withdraw id", "wait id", "remove id"]);
});

test("if the reply is gone because the message was sent twice, the receipt gives it [LOG-05, SRV-27]", async () => {
  const stage = openSender([{ type: "gone" }]);
  stage.receipt = { ...TICKET, contextId: "context" } as unknown as StoredReceipt;

  expect(await stage.send()).toEqual(REPLY);
  expect(stage.asked).toEqual(["ada m"]);
});

test("if the reply with the verdicts is gone, the receipt gives one verdict for each answer", async () => {
  const stage = openSender([{ type: "gone" }]);
  stage.receipt = { ...TICKET, contextId: "context" } as unknown as StoredReceipt;
  const answers = ["a", "b"].map((toolCallId) => ({
    toolCallId,
    selectedOptionId: "proceed_once",
    modifiedDetails: undefined,
  }));

  const reply = await stage.send({ type: "answer", messageId: "m", answers });

  expect(reply).toEqual({
    type: "answered",
    verdicts: answers.map(() => ({ accepted: true, ticket: TICKET })),
  });
});

test("a request is refused if it has neither a reply nor a receipt", async () => {
  const stage = openSender([{ type: "gone" }, { type: "gone" }]);

  await expect(stage.send()).rejects.toMatchObject({ code: "agent-busy" });
  await expect(stage.send({ type: "cancel", taskId: "t" } as SessionRequest)).rejects.toMatchObject(
    { code: "agent-busy" },
  );
  expect(stage.asked).toEqual(["ada m"]);
});
