import { buildQuestion } from "@dt/schema/testing";
import { describe, expect, test } from "vitest";
import type { Key } from "../../keys/decode-keys.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import { advanceScreen, type ScreenStep } from "./advance-screen.js";
import {
  INITIAL_SCREEN_STATE,
  type KeyContext,
  type ScreenState,
  timeoutsOf,
} from "./screen-state.js";

const CONTEXT: KeyContext = {
  question: undefined,
  isBusy: false,
  hasEnded: false,
  mode: "default",
  commands: [],
  queued: undefined,
  prompts: [],
  width: 80,
  now: 0,
};
const QUESTION = buildQuestion();
const { toolCallId } = QUESTION;
const SHIFT_TAB: Key = { type: "key", name: "shift-tab" };
const ENTER: Key = { type: "key", name: "enter" };
const UP: Key = { type: "key", name: "up" };

function keyStep(key: Key, overrides: Partial<KeyContext> = {}): ScreenStep {
  return { type: "key", key, context: { ...CONTEXT, ...overrides } };
}

const TYPED: ScreenState = { ...INITIAL_SCREEN_STATE, edit: textAtEnd("hello") };
const ASKING = advanceScreen(INITIAL_SCREEN_STATE, {
  type: "session-changed",
  question: QUESTION,
}).state;
const ANSWERED: ScreenState = {
  ...ASKING,
  dialog: { toolCallId, index: 0, hasFocus: true, graceMs: 500, isAnswered: true },
};

test.each<[string, ScreenState, ScreenStep, Partial<ScreenState>]>([
  [
    "a question opens its dialog",
    INITIAL_SCREEN_STATE,
    { type: "session-changed", question: QUESTION },
    { dialog: { toolCallId, index: 0, hasFocus: true, graceMs: 500 } },
  ],
  [
    "a drawn question is answerable after its grace period",
    ASKING,
    { type: "drawn", visibility: { isShown: true, isCut: false }, now: 100 },
    {
      dialog: {
        toolCallId,
        index: 0,
        hasFocus: true,
        graceMs: 500,
        isCut: false,
        readyAt: 600,
      },
    },
  ],
  [
    "listed files are stored for the menu",
    INITIAL_SCREEN_STATE,
    { type: "files-listed", files: ["a.txt"] },
    { files: ["a.txt"] },
  ],
  [
    "a single Ctrl-C is forgotten after its timeout",
    { ...INITIAL_SCREEN_STATE, isLeaving: true, notice: "press Ctrl-C again to leave" },
    { type: "leaving-over" },
    { isLeaving: false, notice: "" },
  ],
  [
    "a question whose answer was refused can be answered again",
    ANSWERED,
    { type: "answer-refused", toolCallId },
    { dialog: { toolCallId, index: 0, hasFocus: true, graceMs: 500 } },
  ],
  [
    "an unsent text is put before the typed text",
    TYPED,
    { type: "put-back", text: "first" },
    { edit: textAtEnd("first\nhello") },
  ],
])("one step changes the state of the screen: %s", (_, state, step, changes) => {
  const move = advanceScreen(state, step);

  expect(move.effects).toEqual([]);
  expect(move.state).toMatchObject(changes);
});

describe("choosing a mode with Shift-Tab", () => {
  const chosen = advanceScreen(INITIAL_SCREEN_STATE, keyStep(SHIFT_TAB)).state;

  test("a chosen mode is not sent while another Shift-Tab may follow", () => {
    const further = advanceScreen(chosen, keyStep(SHIFT_TAB));

    expect([chosen.chosenMode, further.state.chosenMode, further.effects]).toEqual([
      "auto-edit",
      "plan",
      [],
    ]);
  });

  test("a chosen mode is sent once after the timeout and forgotten when it is set", () => {
    const sent = advanceScreen(chosen, { type: "mode-chosen" });
    const again = advanceScreen(sent.state, { type: "mode-chosen" });
    const set = advanceScreen(again.state, { type: "mode-set", mode: "auto-edit" });

    expect(sent.effects).toEqual([{ type: "set-mode", mode: "auto-edit" }]);
    expect(again.effects).toEqual([]);
    expect(set.state).toEqual({ ...INITIAL_SCREEN_STATE });
  });

  test("a chosen mode is sent before the prompt that the next key sends", () => {
    const { effects } = advanceScreen({ ...chosen, edit: textAtEnd("hello") }, keyStep(ENTER));

    expect(effects).toEqual([
      { type: "set-mode", mode: "auto-edit" },
      { type: "submit", text: "hello" },
    ]);
  });

  test("when an earlier choice is set, a mode that was chosen later stays chosen", () => {
    const sent = advanceScreen(chosen, { type: "mode-chosen" }).state;
    const further = advanceScreen(sent, keyStep(SHIFT_TAB)).state;

    const set = advanceScreen(further, { type: "mode-set", mode: "auto-edit" }).state;

    expect([set.chosenMode, set.sentMode]).toEqual(["plan", undefined]);
  });
});

test("a queued prompt is withdrawn only once", () => {
  const queued = { messageId: "m1", text: "later", origin: undefined };
  const first = advanceScreen(INITIAL_SCREEN_STATE, keyStep(UP, { queued }));
  const second = advanceScreen(first.state, keyStep(UP, { queued }));

  expect(first.effects).toEqual([{ type: "withdraw", prompt: queued }]);
  expect(second.effects).toEqual([]);
});

test("a number key answers the question if no other key follows in time", () => {
  const ready = advanceScreen(ASKING, {
    type: "drawn",
    visibility: { isShown: true, isCut: false },
    now: 0,
  }).state;
  const held = advanceScreen(
    ready,
    keyStep({ type: "text", text: "1" }, { question: QUESTION, now: 900 }),
  );

  const { effects } = advanceScreen(held.state, { type: "held-key-over", question: QUESTION });

  expect(held.effects).toEqual([]);
  expect(timeoutsOf(held.state)).toEqual({ heldKey: 300 });
  expect(effects).toMatchObject([{ type: "answer", toolCallId }]);
});

test.each<[Partial<ScreenState>, ReturnType<typeof timeoutsOf>]>([
  [{}, {}],
  [{ isLeaving: true }, { leaving: 2000 }],
  [
    { hasCancelled: true, chosenMode: "plan" },
    { leaving: 2000, mode: 400 },
  ],
])("a screen with the state %j starts the key timeouts %j", (changes, timeouts) => {
  expect(timeoutsOf({ ...INITIAL_SCREEN_STATE, ...changes })).toEqual(timeouts);
});
