import { ProtocolError, type SessionReply, type SessionRequest } from "@dt/schema";
import { expect, test } from "vitest";
import { createAttachments } from "../../log/attachments.js";
import type { AttachedReply } from "../../log/session-log.js";
import type { ClaimedRequest, Inbox } from "../../store/instances/instance-store.js";
import { LeaseHeld, LeaseLost } from "../../store/lease.js";
import type { PushRecord } from "../../store/push-record.js";
import type { SessionHost } from "../session-host.js";
import { createInboxService } from "./serve-inbox.js";

const CALLER = { user: "ada", name: "ada/laptop", credential: "token:1", role: "admin" } as const;
const KEY = { user: "ada", messageId: "m" };
const PROMPT: SessionRequest = { type: "prompt", messageId: "m", taskId: "t", parts: [] };
const TICKET = { taskId: "t", turn: 1, afterPosition: 3 };
const REPLY: SessionReply = { type: "ticket", ticket: TICKET };
const CLAIMED: ClaimedRequest = { id: "1", contextId: "context", request: PROMPT, caller: CALLER };

/** Opens the service in front of one session, whose agent is `handle`. */
function openService(handle: () => Promise<SessionReply>) {
  const stage = {
    waiting: [[CLAIMED]] as ClaimedRequest[][],
    calls: [] as unknown[],
    faults: [] as unknown[],
    hasSession: true,
    claims: 0,
    isAway: false,
    handle,
    log: {
      isClosed: false,
      pushes: createAttachments<PushRecord>(),
      replies: createAttachments<AttachedReply>(),
      newDialects: new Map<string, string>(),
    },
    wake: () => {},
    /** Called before a reply is stored. */
    onAnswer: () => {},
  };
  const host = {
    log: stage.log,
    becomeOwner: async () => void stage.calls.push("becomeOwner"),
    async handleOwn(request: SessionRequest, caller: unknown) {
      stage.calls.push(["handle", request, caller]);
      return await stage.handle();
    },
  } as unknown as SessionHost;
  const inbox = {
    async claim() {
      stage.claims += 1;
      if (stage.isAway) throw new Error("the store is away");
      return stage.waiting.shift() ?? [];
    },
    async answer(id, reply) {
      stage.onAnswer();
      stage.calls.push(["answer", id, reply]);
    },
    unclaim: async (id) => void stage.calls.push(["unclaim", id]),
    subscribe(callback) {
      stage.wake = callback;
      return () => {
        stage.wake = () => {};
      };
    },
  } as Partial<Inbox> as Inbox;
  const service = createInboxService({
    instances: { inbox },
    credentials: { adopt: (credential) => void stage.calls.push(`adopt ${credential}`) },
    find: async () => (stage.hasSession ? host : undefined),
    onFault: (reason) => stage.faults.push(reason),
  });
  service.start();
  return Object.assign(stage, {
    service,
    async run() {
      stage.wake();
      await new Promise(setImmediate);
      return stage.calls.at(-1);
    },
  });
}

test("an instance becomes the owner to handle a claimed request, and stores the reply [SRV-27]", async () => {
  const stage = openService(async () => REPLY);

  await stage.run();

  expect(stage.calls).toEqual([
    "adopt token:1",
    "becomeOwner",
    ["handle", PROMPT, CALLER],
    ["answer", "1", REPLY],
  ]);
  expect(stage.faults).toEqual([]);
});

test("the commit of a message gets the push config, the dialect and the reply of the request [SRV-27]", async () => {
  const seen: unknown[] = [];
  const push = { configId: "p" } as PushRecord;
  const stage = openService(async () => {
    const attached = stage.log.replies.take(KEY);
    seen.push(stage.log.pushes.take(KEY), stage.log.newDialects.get("t"), attached?.requestId);
    seen.push(attached?.toReply(TICKET as Parameters<AttachedReply["toReply"]>[0]));
    return REPLY;
  });
  stage.waiting = [[{ ...CLAIMED, push, dialect: "gemini" }]];

  await stage.run();

  expect(seen).toEqual([push, "gemini", "1", REPLY]);
});

test("a request that is refused leaves nothing attached to the log", async () => {
  const stage = openService(async () => {
    throw new ProtocolError("agent-busy", "later", { data: { retryAfterMs: 5 } });
  });
  const push = { configId: "p" } as PushRecord;
  stage.waiting = [[{ ...CLAIMED, push, dialect: "gemini" }]];

  const last = await stage.run();

  expect(last).toEqual([
    "answer",
    "1",
    { type: "refused", code: "agent-busy", message: "later", data: { retryAfterMs: 5 } },
  ]);
  const { pushes, replies, newDialects } = stage.log;
  expect([pushes.take(KEY), replies.take(KEY), [...newDialects]]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(stage.faults).toEqual([]);
});

test("a fault of the agent is reported by the holder, and the sender gets no detail of the fault", async () => {
  const fault = new Error("secret detail");
  const stage = openService(() => Promise.reject(fault));

  const last = await stage.run();

  const message = "the instance that holds the session could not handle the request";
  expect(last).toEqual(["answer", "1", { type: "refused", code: "internal", message }]);
  expect(stage.faults).toEqual([fault]);
});

test.each([new LeaseHeld("context"), new LeaseLost("context")])(
  "a request is given back if the session moved to another instance: %s",
  async (reason) => {
    const stage = openService(() => Promise.reject(reason));

    expect(await stage.run()).toEqual(["unclaim", "1"]);
    expect(stage.faults).toEqual([]);
  },
);

test("if the session was lost meanwhile, a refused request is given back, and an accepted one is answered", async () => {
  const refusal: SessionReply = { type: "refused", code: "agent-busy", message: "closing" };
  const stage = openService(async () => refusal);
  stage.waiting = [[CLAIMED], [CLAIMED], [CLAIMED]];

  const open = await stage.run();
  stage.log.isClosed = true;
  const lost = await stage.run();
  stage.handle = async () => REPLY;

  expect([open, lost, await stage.run()]).toEqual([
    ["answer", "1", refusal],
    ["unclaim", "1"],
    ["answer", "1", REPLY],
  ]);
});

test("a request for a session that was deleted is refused", async () => {
  const stage = openService(async () => REPLY);
  stage.hasSession = false;

  const reply = { type: "refused", code: "task-not-found", message: "the session was deleted" };
  expect(await stage.run()).toEqual(["answer", "1", reply]);
});

test("a wake-up during a claim causes one more claim, and the wake-up after a fault tries again", async () => {
  const stage = openService(async () => REPLY);

  stage.wake();
  stage.wake();
  await stage.run();
  const claims = stage.claims;
  stage.isAway = true;
  await stage.run();
  stage.isAway = false;
  stage.waiting = [[CLAIMED]];
  stage.calls.length = 0;

  expect(await stage.run()).toEqual(["answer", "1", REPLY]);
  expect([claims, stage.claims]).toEqual([2, 4]);
  expect(stage.faults).toEqual([]);
});

test("a closed service claims nothing more, but answers the requests that it has claimed", async () => {
  const stage = openService(async () => REPLY);
  const { wake } = stage;
  wake();
  wake();

  await stage.service.close();
  await new Promise(setImmediate);
  wake();
  await new Promise(setImmediate);

  expect(stage.claims).toBe(1);
  expect(stage.calls).toContainEqual(["answer", "1", REPLY]);
});

test("a reply that cannot be stored is stored at a later attempt [SRV-27]", async () => {
  const stage = openService(async () => REPLY);
  const faults = [new Error("the store is away")];
  stage.onAnswer = () => {
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
  };

  await stage.run();
  const early = stage.calls.filter((call) => String(call).startsWith("answer"));
  await expect
    .poll(() => stage.calls.filter((call) => String(call).startsWith("answer")).length, {
      timeout: 60_000,
    })
    .toBe(1);

  expect(early).toEqual([]);
  expect(stage.faults).toEqual([]);
});
