import { isOwnOrigin } from "../agent/face/face-port.js";
import type { SessionEvent } from "../event/agent-event.js";
import { textOf } from "../event/part.js";
import { openQuestions } from "../event/task-view.js";
import { OPTION_IDS } from "../tool-call/confirmation-options.js";
import {
  createStop,
  type FaceGuarantee,
  type FaceStage,
  isIdleFace,
  prompt,
  promptsIn,
  textsIn,
  throwUnlessEqual,
  untilAsked,
  untilState,
} from "./face-checks.js";

const replied = (text: string) => (state: Parameters<typeof isIdleFace>[0]) =>
  textsIn(state).includes(`heard ${text}`) && isIdleFace(state);

/** The contract of a face. Create a new stage for each check. */
export const faceContract: readonly FaceGuarantee[] = [
  {
    name: "the first state is the current state of the session",
    async check({ face }) {
      const { view } = await untilState(face, () => true);

      throwUnlessEqual(view.contextId, face.contextId);
    },
  },
  {
    name: "a prompt is accepted, and the states show its turn",
    async check({ face }) {
      const reply = await prompt(face, "hello");

      throwUnlessEqual(reply, { type: "done" });
      await untilState(face, replied("hello"));
    },
  },
  {
    name: "prompts take effect in the order of the calls",
    async check({ face }) {
      const texts = ["one", "two", "three"];
      await prompt(face, "ask");
      const toolCallId = await untilAsked(face);

      await Promise.all(texts.map((text) => prompt(face, text)));
      await face.handle({ type: "answer", toolCallId, optionId: OPTION_IDS.proceedOnce });

      const state = await untilState(face, replied("three"));
      throwUnlessEqual(promptsIn(state), ["ask", ...texts]);
    },
  },
  {
    name: "a face distinguishes its own prompts from the prompts of other clients",
    async check({ face, promptElsewhere }) {
      await prompt(face, "mine");
      await untilState(face, replied("mine"));
      await promptElsewhere("theirs");
      const { view } = await untilState(face, replied("theirs"));

      const own = view.items.flatMap(({ event }) =>
        event.kind === "USER_PROMPT" && isOwnOrigin(face.traits, event.origin)
          ? [textOf(event.parts)]
          : [],
      );
      throwUnlessEqual(own, ["mine"]);
    },
  },
  {
    name: "an answer closes the question, and the turn continues",
    async check({ face }) {
      await prompt(face, "ask");
      const toolCallId = await untilAsked(face);
      await face.handle({ type: "hold-answer", toolCallId });

      const optionId = OPTION_IDS.proceedOnce;
      throwUnlessEqual(await face.handle({ type: "answer", toolCallId, optionId }), {
        type: "done",
      });
      await face.handle({ type: "hold-answer" });

      await untilState(face, replied("ask"));
    },
  },
  {
    name: "the reply to a late answer has the answer that came first",
    async check({ face, answerElsewhere }) {
      await prompt(face, "ask");
      const toolCallId = await untilAsked(face);
      await answerElsewhere(toolCallId, OPTION_IDS.cancel);
      await untilState(face, ({ view }) => openQuestions(view).length === 0);

      const optionId = OPTION_IDS.proceedOnce;
      const reply = await face.handle({ type: "answer", toolCallId, optionId });

      if (reply.type !== "answered-before") throw new Error(`the reply is ${reply.type}`);
      throwUnlessEqual(reply.selectedOptionId, OPTION_IDS.cancel);
    },
  },
  {
    name: "an answer without an open question is refused with a code",
    async check({ face }) {
      const optionId = OPTION_IDS.proceedOnce;

      const reply = await face.handle({ type: "answer", toolCallId: "nope", optionId });

      if (reply.type !== "refused") throw new Error(`the reply is ${reply.type}`);
      throwUnlessEqual(reply.code, "confirmation-not-found");
    },
  },
  {
    name: "a cancel ends the turn",
    async check({ face }) {
      await prompt(face, "wait");
      await untilState(face, ({ view }) => view.state === "working");

      const reply = await face.handle({ type: "cancel" });

      throwUnlessEqual(reply, { type: "cancelled", withdrawn: [] });
      await untilState(face, isIdleFace);
    },
  },
  {
    name: "a queued prompt can be withdrawn if the trait canWithdraw is true",
    async check({ face }) {
      await prompt(face, "wait");
      await prompt(face, "later");
      const { view } = await untilState(face, ({ view: { queue } }) => queue.length > 0);

      const messageId = view.queue[0]?.messageId ?? "";
      const reply = await face.handle({ type: "withdraw", messageId });

      throwUnlessEqual(reply, { type: "changed", isChanged: face.traits.canWithdraw });
      if (face.traits.canWithdraw) {
        await untilState(face, ({ view: { queue } }) => queue.length === 0);
      }
    },
  },
  {
    name: "a command that cannot start is refused with a sentence",
    async check({ face }) {
      const reply = await face.handle({ type: "command", path: ["nope"], args: "" });

      if (reply.type !== "refused") throw new Error(`the reply is ${reply.type}`);
      if (!reply.message.includes("/nope"))
        throw new Error(`the message does not name /nope: ${reply.message}`);
    },
  },
  {
    name: "every loop over events() gets each event once and in order",
    async check({ face }) {
      const stop = createStop();
      const reading = [face, face].map((each) => readTurn(each.events(stop.signal)));
      await prompt(face, "hello");

      for (const events of await Promise.all(reading)) {
        throwUnlessEqual(events, ["prompt hello", "text heard hello"]);
      }
      stop.stop();
    },
  },
  {
    name: "the history has all events up to now, and ends",
    async check({ face }) {
      await prompt(face, "one");
      await untilState(face, replied("one"));
      await prompt(face, "two");
      await untilState(face, replied("two"));
      const stop = createStop();
      const events: SessionEvent[] = [];

      for await (const page of face.history(stop.signal)) events.push(...page);

      throwUnlessEqual(events.flatMap(describeItem), [
        "prompt one",
        "text heard one",
        "prompt two",
        "text heard two",
      ]);
    },
  },
  {
    name: "a loop that waits for a state or an event ends when its signal aborts",
    async check({ face }) {
      const stop = createStop();
      const states = face.states(stop.signal)[Symbol.asyncIterator]();
      const events = face.events(stop.signal)[Symbol.asyncIterator]();
      await states.next();
      const endings = [drain(states), drain(events)];

      stop.stop();

      await Promise.all(endings);
    },
  },
  {
    name: "closing the face ends all loops over its states and events",
    async check({ face }) {
      const { signal } = createStop();
      const states = face.states(signal)[Symbol.asyncIterator]();
      const events = face.events(signal)[Symbol.asyncIterator]();
      await states.next();
      const endings = [drain(states), drain(events)];

      await face.close();

      await Promise.all(endings);
    },
  },
];

async function drain(reader: AsyncIterator<unknown>): Promise<void> {
  while ((await reader.next()).done !== true);
}

/** Reads events until the agent has replied. */
async function readTurn(batches: ReturnType<FaceStage["face"]["events"]>): Promise<string[]> {
  const items: string[] = [];
  for await (const batch of batches) {
    items.push(...batch.flatMap(describeItem));
    if (items.some((each) => each.startsWith("text"))) break;
  }
  return items;
}

function describeItem(event: SessionEvent): string[] {
  if (event.kind === "USER_PROMPT") return [`prompt ${textOf(event.parts)}`];
  return event.kind === "TEXT_CONTENT" ? [`text ${event.text}`] : [];
}
