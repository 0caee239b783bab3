import type { Caller } from "@dt/schema";
import { expect, test } from "vitest";
import { createInFlight } from "../messages/in-flight.js";
import type { Delivery } from "../messages/send-message.js";
import { deliverGuideMessage, type GuideSender } from "./deliver-guide-message.js";

test("a message that comes twice at once is taken once, and each user's own is taken [LOG-05]", async () => {
  const taken: string[] = [];
  const inFlight = createInFlight<Delivery>();
  const host = {
    agent: {
      prompt: async (_: unknown, { user }: Caller) => {
        taken.push(user);
        await new Promise(setImmediate);
        return { taskId: "t", turn: taken.length, afterPosition: 0 };
      },
    },
  };
  const send = (user: string) => {
    const sender = {
      services: {
        inFlight,
        createId: () => "new",
        sessions: { findReceipt: async () => undefined },
      },
      caller: { user, name: user, role: "admin" },
      findSession: async () => ({ host, taskId: "t" }),
    } as unknown as GuideSender;
    const params = { message: { messageId: "same", content: { text: "hi" } } };
    return deliverGuideMessage(params, sender);
  };

  const [first, again, others] = await Promise.all([send("ada"), send("ada"), send("bob")]);
  await send("ada");

  expect(taken).toEqual(["ada", "bob", "ada"]);
  expect(again).toBe(first);
  expect(others).not.toBe(first);
});
