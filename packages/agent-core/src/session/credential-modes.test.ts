import { once } from "node:events";
import type { Caller, PermissionMode, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { createBuiltinCommands } from "../commands/builtin/builtin-commands.js";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { Model } from "../model/model.js";
import { type ModelSessionOptions, openDrivenSession } from "../testing/drive-session.js";
import { callTool, say, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";

// Two clients and an anonymous request of one user. Without authentication, all clients of a machine share
// one user.
const phone: Caller = { user: "local", name: "phone", role: "approve", credential: "socket 1" };
const laptop: Caller = { user: "local", name: "laptop", role: "approve", credential: "socket 2" };
const anonymous: Caller = { user: "local", name: "curl", role: "approve" };

const isEnd = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && ["completed", "failed", "canceled"].includes(event.state);
const isAsking = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.waiting !== undefined;

/** A session whose model calls `write` once per turn, and whose clients can disconnect. */
async function openStage(options: Partial<ModelSessionOptions> = {}) {
  const workspace = await openTempWorkspace();
  const ledger = openMemoryLedger();
  const gone = new Set<string>();
  const write = scriptedTool({ name: "write" });
  const commands = createBuiltinCommands({
    workspaceRoot: workspace.root,
    tools: () => [],
    currentModel: () => "scripted",
  });
  const base = {
    model: writingModel(),
    tools: [write],
    workspace,
    ledger,
    commands: () => commands,
    isCredentialAlive: (credential: string) => !gone.has(credential),
    ...options,
  };
  const session = await openDrivenSession(base);
  let messages = 0;
  const nextId = () => `m${++messages}`;
  return {
    ledger,
    session,
    write,
    leave: (caller: Caller) => void gone.add(caller.credential ?? ""),
    reopen: () => openDrivenSession({ ...base, journal: [...ledger.journal] }),
    prompt: (
      caller: Caller,
      about: { taskId?: string; mode?: PermissionMode; taskMode?: PermissionMode } = {},
    ) => {
      const messageId = nextId();
      const parts = [{ type: "text", text: "go" }] as const;
      return session.prompt({ messageId, taskId: messageId, parts, ...about }, caller);
    },
    command: (caller: Caller, path: readonly string[], args = "") =>
      session.runCommand({ messageId: nextId(), taskId: `c${messages}`, path, args }, caller),
    async until(fits: (event: SessionEvent) => boolean, count = 1): Promise<SessionEvent> {
      let seen = 0;
      for await (const event of ledger.read()) {
        if (fits(event)) seen += 1;
        if (seen === count) return event;
      }
      throw new Error("the ledger ended");
    },
    async answer(selectedOptionId: string, caller: Caller) {
      const call = session
        .snapshot()
        .turn?.calls.find(({ toolCall }) => toolCall.confirmationRequest);
      const toolCallId = call?.toolCall.toolCallId ?? "";
      await session.answer({ toolCallId, selectedOptionId, modifiedDetails: undefined }, caller);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** A model that calls `write` once, then says that it is done. */
function writingModel(): Model {
  const model = scriptedModel([]);
  return {
    ...model,
    async *stream({ history }) {
      yield history.at(-1)?.role === "tool" ? say("done") : callTool("write");
    },
  };
}

test("yolo mode applies only to the prompts of the credential that set it [SEC-10]", async () => {
  await using stage = await openStage();
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);

  await stage.prompt(phone);
  await stage.until(isEnd, 2);
  await stage.prompt(laptop);
  await stage.until(isAsking);
  await stage.answer("cancel", laptop);
  await stage.until(isEnd, 3);
  await stage.prompt(anonymous);
  await stage.until(isAsking, 2);

  expect(stage.write.ran).toHaveLength(1);
  expect(
    await Promise.all(
      [phone, laptop, anonymous].map(({ credential }) => stage.session.mode(credential)),
    ),
  ).toEqual(["yolo", "default", "default"]);
});

test.for(["yolo", "auto-edit", "plan", "default"])(
  "an anonymous request cannot set the mode %s and learns how to get a credential [SEC-10]",
  async (mode) => {
    await using stage = await openStage();

    const begun = await stage.command(anonymous, ["mode"], mode);

    expect(begun).toEqual({
      status: "FAILED_TO_START",
      message: expect.stringMatching(/use a WebSocket, or send .* X-DT-Client-Id/),
    });
    expect(await stage.session.mode(undefined)).toBe("default");
  },
);

test("an anonymous request may read the mode", async () => {
  await using stage = await openStage({ mode: "plan" });

  const begun = await stage.command(anonymous, ["mode"]);

  expect(begun.status).toBe("STARTED");
});

test("a prompt queued in yolo mode asks for permission if its client has disconnected [SEC-10]", async () => {
  await using stage = await openStage();
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);
  await stage.prompt(laptop);
  await stage.until(isAsking);
  await stage.prompt(phone, { taskId: "queued" });

  stage.leave(phone);
  await stage.answer("cancel", laptop);
  const asked = await stage.until(isAsking, 2);

  expect(asked.taskId).toBe("queued");
  expect(stage.write.ran).toEqual([]);
});

test("a mode that was set beside a turn ends when its client disconnects [SEC-10]", async () => {
  await using stage = await openStage();
  await stage.prompt(laptop);
  await stage.until(isAsking);
  await stage.command(phone, ["mode"], "yolo");
  await stage.prompt(phone, { taskId: "queued" });

  stage.leave(phone);
  await stage.answer("cancel", laptop);
  const asked = await stage.until(isAsking, 2);

  expect(asked.taskId).toBe("queued");
  expect(stage.write.ran).toEqual([]);
});

test("a running turn in yolo mode asks as soon as its client has disconnected [SEC-10]", async () => {
  const held = new AbortController();
  const reached = new AbortController();
  const model: Model = {
    ...scriptedModel([]),
    async *stream({ history }) {
      const step = history.filter(({ role }) => role === "tool").length;
      if (step === 1) {
        reached.abort();
        await aborted(held.signal);
      }
      yield callTool("write", { step });
    },
  };
  await using stage = await openStage({ model });
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);
  await stage.prompt(phone);
  await aborted(reached.signal);

  stage.leave(phone);
  held.abort();
  await stage.until(isAsking);

  expect(stage.write.ran).toHaveLength(1);
});

test("a queued call of a step does not run after its client has disconnected [SEC-10]", async () => {
  const model: Model = {
    ...scriptedModel([]),
    async *stream({ history }) {
      if (history.at(-1)?.role === "tool") return yield callTool("write", { step: 2 });
      yield callTool("slow");
      yield callTool("write", { step: 1 });
    },
  };
  const slow = scriptedTool({ name: "slow", run: () => leave() });
  const write = scriptedTool({ name: "write" });
  await using stage = await openStage({ model, tools: [slow, write] });
  const leave = () => {
    stage.leave(phone);
    return "done";
  };
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);

  await stage.prompt(phone);
  await stage.until(isAsking);

  expect(slow.ran).toHaveLength(1);
  expect(write.ran).toEqual([]);
  const failed = stage.ledger.events.find(
    (event) => event.kind === "TOOL_CALL_UPDATE" && event.toolCall.status === "FAILED",
  );
  expect(failed).toMatchObject({
    toolCall: {
      result: {
        value: { type: "not_allowed", message: expect.stringContaining("ended before it ran") },
      },
    },
  });
});

test("a mode that is stricter than the session's still applies after its client disconnects [SEC-10]", async () => {
  await using stage = await openStage({ mode: "yolo" });
  await stage.command(phone, ["mode"], "plan");
  await stage.until(isEnd);

  stage.leave(phone);
  await stage.prompt(phone);
  await stage.until(isEnd, 2);

  expect(stage.write.ran).toEqual([]);
});

test("a mode is not restored after a restart [SEC-10]", async () => {
  await using stage = await openStage();
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);
  await stage.session.close();

  const restored = await stage.reopen();

  expect(await restored.mode(phone.credential)).toBe("default");
  expect(JSON.stringify(stage.ledger.journal)).not.toContain("mode-set");
  await restored.close();
});

test("modes in a journal of an earlier version are ignored", async () => {
  await using stage = await openStage();
  const journal = [{ type: "mode-set", principal: "local", mode: "yolo" }];
  await using old = await openStage({ journal });

  expect(await old.session.mode(undefined)).toBe("default");
  expect(old.session.snapshot()).toEqual(stage.session.snapshot());
});

// The server converts `autoExecute` of a client to `taskMode: "yolo"`.
test("autoExecute applies only to its task and to the credential that sent it [SRV-09]", async () => {
  await using stage = await openStage();
  await stage.prompt(phone, { taskId: "free", taskMode: "yolo" });
  await stage.until(isEnd);
  await stage.prompt(phone, { taskId: "free" });
  await stage.until(isEnd, 2);
  expect(stage.write.ran).toHaveLength(2);

  for (const [count, [caller, taskId]] of (
    [
      [laptop, "free"],
      [anonymous, "free"],
      [phone, "other"],
    ] as const
  ).entries()) {
    await stage.prompt(caller, { taskId });
    await stage.until(isAsking, count + 1);
    await stage.answer("cancel", caller);
    await stage.until(isEnd, count + 3);
  }

  expect(stage.write.ran).toHaveLength(2);
});

test("autoExecute of a new task applies to the later prompts of the task [SRV-09]", async () => {
  await using stage = await openStage();
  await stage.session.handle({ type: "open-task", taskId: "free", taskMode: "yolo" }, phone);
  await stage.prompt(phone, { taskId: "free" });
  await stage.until(isEnd);

  expect(stage.write.ran).toHaveLength(1);
  await stage.prompt(laptop, { taskId: "free" });
  await stage.until(isAsking);
  expect(stage.write.ran).toHaveLength(1);
});

test("an autoExecute task asks for permission after its client has disconnected [SRV-09]", async () => {
  await using stage = await openStage();
  await stage.prompt(phone, { taskId: "free", taskMode: "yolo" });
  await stage.until(isEnd);

  stage.leave(phone);
  await stage.prompt(phone, { taskId: "free" });
  await stage.until(isAsking);

  expect(stage.write.ran).toHaveLength(1);
});

test("another client of the same user cannot steer a turn [SEC-10]", async () => {
  await using stage = await openStage();
  await stage.prompt(phone);
  await stage.until(isAsking);
  const parts = [{ type: "text", text: "also" }] as const;

  const ticket = await stage.session.prompt({ messageId: "b", taskId: "t", parts }, laptop, {
    steer: true,
  });

  expect(ticket.turn).toBe(2);
});

test("a credential appears in no event", async () => {
  await using stage = await openStage();
  await stage.prompt(phone);
  await stage.until(isAsking);

  expect(JSON.stringify(stage.ledger.events)).not.toContain("socket 1");
});

test("the modes of other clients are listed while those clients are connected", async () => {
  await using stage = await openStage();
  await stage.command(phone, ["mode"], "yolo");
  await stage.until(isEnd);
  await stage.command(laptop, ["mode"], "plan");
  await stage.until(isEnd, 2);

  const before = await stage.session.otherModes("socket 2");
  stage.leave(phone);

  expect(before).toEqual([{ name: "phone", mode: "yolo" }]);
  expect(await stage.session.otherModes("socket 2")).toEqual([]);
});
