import { expect, test } from "vitest";
import { callTool, scriptedModel } from "../testing/scripted-model.js";
import { scriptedTool } from "../testing/scripted-tool.js";
import { ALICE, ask, BOB, brief, openAskingSession } from "./asking-session.test-support.js";

test("an answer, the call it starts and its receipt are one ledger entry", async () => {
  await using stage = await openAskingSession();
  const { afterPosition } = await stage.prompt("m1");
  const { waiting = [] } = (await stage.until("input-required")) as { waiting?: unknown[] };

  const verdict = await stage.answer("call-1", "proceed_always", {
    messageId: "m2",
    taskId: "t",
    digest: "of m2",
  });
  await stage.until("completed");

  const origin = { principal: "bob", name: "Bob" };
  const answer = { toolCallId: "call-1", selectedOptionId: "proceed_always", origin };
  const details = { $case: "genericDetails", value: { description: "ask" } };
  const toolCall = {
    toolCallId: "call-1",
    toolName: "ask",
    description: "ask",
    status: "EXECUTING",
    inputParameters: {},
    result: undefined,
  };
  const scope = { scope: "other:ask", words: "calls of ask" };
  const actions = [{ type: "other", name: "ask", target: "{}" }];
  const entry = stage.entries.find(({ receipt }) => receipt?.messageId === "m2");
  expect(entry).toEqual({
    journal: [
      { type: "question-answered", answer, approval: { details } },
      {
        type: "remembered",
        answer: { principal: "bob", name: "Bob", turn: 1, asked: "ask", ...scope },
      },
      { type: "call-changed", toolCall, mark: expect.any(Object) },
    ],
    events: [expect.objectContaining({ kind: "TOOL_CALL_UPDATE", toolCall, answer })],
    isCritical: true,
    receipt: { user: "bob", messageId: "m2", taskId: "t", turn: 1, digest: "of m2" },
  });
  expect(verdict).toEqual({
    accepted: true,
    ticket: { taskId: "t", turn: 1, afterPosition: afterPosition + 5 },
  });
  expect(stage.ledger.journal).toContainEqual({
    type: "asked",
    toolCallId: "call-1",
    scopes: [scope],
    targets: ['other:["ask","{}"]'],
    actions,
  });
  expect(waiting).toMatchObject([{ toolCallId: "call-1", confirmationRequest: { details } }]);
  expect(await stage.request({ type: "list-permissions" })).toEqual({
    type: "permissions",
    permissions: [{ number: 1, covers: "calls of ask", givenBy: origin }],
  });
  expect(await stage.answer("call-1", "cancel")).toEqual({
    accepted: false,
    reason: "closed",
    answeredBy: origin,
    selectedOptionId: "proceed_always",
  });
  expect(await stage.answer("call-1", "cancel", { taskId: "t" })).toMatchObject({
    reason: "closed",
    answeredBy: origin,
  });
  expect(await stage.answer("call-9", "cancel")).toEqual({ accepted: false, reason: "unknown" });
});

test("a refusal and its reason are one ledger entry, and nothing is remembered", async () => {
  await using stage = await openAskingSession();
  await stage.prompt("m1");
  await stage.until("input-required");

  expect(await stage.answer("call-1", "cancel", { taskId: "u" })).toEqual({
    accepted: false,
    reason: "unknown",
  });
  await stage.request(
    {
      type: "answer",
      answers: [
        {
          toolCallId: "call-1",
          selectedOptionId: "cancel",
          modifiedDetails: undefined,
          reason: "not today",
        },
      ],
    },
    BOB,
  );
  await stage.until("completed");

  const origin = { principal: "bob", name: "Bob" };
  const answer = {
    toolCallId: "call-1",
    selectedOptionId: "cancel",
    origin,
    reason: "not today",
  };
  const entry = stage.entries.find(({ isCritical }) => isCritical === true);
  expect(entry).toMatchObject({
    journal: [
      { type: "question-answered", answer },
      { type: "call-changed", toolCall: { status: "CANCELLED" } },
    ],
    // Everybody sees why the call was refused.
    events: [{ kind: "TOOL_CALL_UPDATE", answer }],
  });
  expect(entry?.journal).toHaveLength(2);
  expect(entry).not.toHaveProperty("receipt");
});

const edited = { $case: "fileDetails", value: { newContent: "mine" } } as const;

test.each([
  [
    "with an unknown option",
    "maybe",
    undefined,
    "selected_option_id: there is no option maybe; the options are proceed_once, proceed_always, cancel",
  ],
  [
    "with edited content and proceed_always",
    "proceed_always",
    edited,
    "file_details: edited content needs the option proceed_once",
  ],
  [
    "with edited content to a question without content",
    "proceed_once",
    edited,
    "file_details: this question has no content to edit",
  ],
])(
  "an answer %s is refused, and the question stays open",
  async (_, selectedOptionId, modifiedDetails, message) => {
    await using stage = await openAskingSession();
    await stage.prompt("m1");
    await stage.until("input-required");
    const answer = { toolCallId: "call-1", selectedOptionId, modifiedDetails };

    await expect(stage.session.answer(answer, BOB)).rejects.toMatchObject({
      code: "invalid-message",
      message,
    });
    expect(await stage.answer("call-1", "proceed_once")).toMatchObject({ accepted: true });
  },
);

test("an approved write waits for the write before it, and a read starts at once", async () => {
  const read = scriptedTool({ name: "read", isReadOnly: true });
  await using stage = await openAskingSession({
    tools: [ask, read],
    model: scriptedModel([[callTool("ask"), callTool("ask"), callTool("read")]]),
  });
  await stage.prompt("m1");
  await stage.until("input-required");

  await stage.answer("call-2", "proceed_once");
  await stage.answer("call-3", "proceed_once");
  expect(stage.log().slice(3)).toEqual([
    ...["ask PENDING", "ask PENDING", "read PENDING", "t input-required"],
    ...["ask PENDING", "t input-required", "read EXECUTING"],
  ]);
  await stage.answer("call-1", "cancel");
  await stage.until("completed");

  expect(
    stage
      .log()
      .filter((word) => word.startsWith("ask"))
      .slice(3),
  ).toEqual(["ask CANCELLED", "ask EXECUTING", "ask SUCCEEDED"]);
});

test("a turn with an open question is still working while another call reads", async () => {
  let finish = (_text: string) => {};
  const slow = scriptedTool({
    name: "slow",
    isReadOnly: true,
    actions: () => [],
    run: () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  });
  await using stage = await openAskingSession({
    tools: [ask, slow],
    model: scriptedModel([[callTool("ask"), callTool("slow")]]),
  });
  await stage.prompt("m1");
  for await (const event of stage.ledger.read()) if (brief(event) === "slow EXECUTING") break;
  while (slow.ran.length === 0) await new Promise(setImmediate);
  finish("read");
  await stage.until("input-required");

  expect(stage.log()).toEqual([
    ...["t USER_PROMPT", "t working", "t TITLE", "ask PENDING", "slow PENDING", "slow EXECUTING"],
    ...["slow SUCCEEDED", "t input-required"],
  ]);
});

test("only the host, or the person who gave an answer, can remove the answer [SEC-07]", async () => {
  await using stage = await openAskingSession({ hostCredential: "host" });
  await stage.prompt("m1");
  await stage.until("input-required");
  await stage.answer("call-1", "proceed_always");
  await stage.until("completed");
  const forget = { type: "forget-permissions", numbers: [1, 7] } as const;

  expect(await stage.request(forget)).toMatchObject({
    type: "refused",
    code: "forbidden",
    message: "answer 1 was given by Bob; only they or the host's terminal can remove it",
  });
  expect(await stage.request(forget, { ...ALICE, credential: "host" })).toEqual({
    type: "changed",
    isChanged: true,
  });
  expect(stage.ledger.journal.at(-1)).toEqual({ type: "forgotten", numbers: [1] });
  expect(await stage.request(forget, BOB)).toEqual({ type: "changed", isChanged: false });
});
