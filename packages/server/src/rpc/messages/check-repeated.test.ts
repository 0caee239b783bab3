import { expect, test } from "vitest";
import type { SessionLog } from "../../log/session-log.js";
import { checkRepeated } from "./check-repeated.js";
import type { Incoming } from "./incoming.js";

/** The log of a session with two prompts, and a third one in the queue. */
const log = {
  async read() {
    return [
      { event: { kind: "USER_PROMPT", messageId: "first", parts: [toPart("one")] } },
      { event: { kind: "USER_PROMPT", messageId: "second", parts: [toPart("two")] } },
      { event: { kind: "QUEUE", prompts: [{ messageId: "third", text: "three" }] } },
    ];
  },
} as unknown as SessionLog;

function toPart(text: string) {
  return { type: "text" as const, text };
}

function check(messageId: string, text: string, named: Partial<Incoming> = {}): Promise<void> {
  const receipt = {
    user: "alice",
    messageId,
    contextId: "context",
    taskId: "task",
    turn: 1,
    afterPosition: 0,
  };
  const message = {
    messageId,
    taskId: undefined,
    contextId: undefined,
    content: { type: "prompt", parts: [toPart(text)] },
    digest: "new",
    push: undefined,
    ...named,
  } as Incoming;
  return checkRepeated(message, { receipt, log });
}

test.each([
  ["first", "one"],
  ["second", "two"],
  ["third", "three"],
])(
  "the repeated message %j is compared with the log if its receipt has no digest [LOG-05]",
  async (id, text) => {
    await check(id, text);

    await expect(check(id, "other")).rejects.toMatchObject({ code: "invalid-message" });
  },
);

test("a repeated message with another file is refused if its receipt has no digest [LOG-05]", async () => {
  const file = (bytes: string) => ({ type: "file" as const, bytes, mediaType: "text/plain" });
  const content = { type: "prompt" as const, parts: [toPart("one"), file("eA==")] };

  await expect(check("first", "one", { content })).rejects.toMatchObject({
    code: "invalid-message",
  });
});

test("a repeated message that names another task or session is refused [LOG-05]", async () => {
  await check("first", "one", { taskId: "task", contextId: "context" });

  const elsewhere = [{ taskId: "other" }, { contextId: "other" }];
  for (const named of elsewhere) {
    await expect(check("first", "one", named)).rejects.toMatchObject({ code: "invalid-message" });
  }
});

test("a repeated answer is accepted if its receipt has no digest [LOG-05]", async () => {
  await check("answer", "anything");
});

test("a receipt with a digest is compared by the digest alone [LOG-05]", async () => {
  const receipt = {
    user: "alice",
    messageId: "first",
    contextId: "context",
    taskId: "task",
    turn: 1,
    afterPosition: 0,
    digest: "same",
  };
  const message = (digest: string, text: string) =>
    ({
      messageId: "first",
      taskId: undefined,
      contextId: undefined,
      content: { type: "prompt", parts: [toPart(text)] },
      digest,
      push: undefined,
    }) as Incoming;

  await checkRepeated(message("same", "other text"), { receipt, log });
  await expect(checkRepeated(message("other", "one"), { receipt, log })).rejects.toMatchObject({
    code: "invalid-message",
  });
});
