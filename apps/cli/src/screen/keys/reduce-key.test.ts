import { buildQuestion } from "@dt/schema/testing";
import { describe, expect, test } from "vitest";
import { createKeyDecoder } from "../../keys/decode-keys.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import type { Effect } from "../state/effect.js";
import {
  INITIAL_SCREEN_STATE,
  type KeyContext,
  type ScreenState,
  withQuestion,
  withShownQuestion,
} from "../state/screen-state.js";
import { answerHeldKey, reduceKey } from "./reduce-key.js";

const IDLE: KeyContext = {
  question: undefined,
  isBusy: false,
  hasEnded: false,
  mode: "default",
  commands: [
    { name: "help", description: "", arguments: [], subCommands: [] },
    {
      name: "memory",
      description: "",
      arguments: [],
      subCommands: [{ name: "show", description: "", arguments: [], subCommands: [] }],
    },
  ],
  queued: undefined,
  prompts: ["first", "second"],
  width: 20,
  now: 10_000,
};
const QUESTION = buildQuestion();
const ASKED: KeyContext = { ...IDLE, question: QUESTION, isBusy: true };

const COMPLETE = { isShown: true, isCut: false };
const HIDDEN_QUESTION = { isShown: false, isCut: true };

/**
 * Applies keys as a terminal sends them. Then lets the timeout of a held key pass, which may answer the
 * question. Returns the state, the effects and the text in the input field.
 */
function type(keys: string, context: KeyContext = IDLE, start: ScreenState = INITIAL_SCREEN_STATE) {
  const decoder = createKeyDecoder();
  let state = withShownQuestion(withQuestion(start, context.question), COMPLETE, 0);
  const effects: Effect[] = [];
  for (const key of [...decoder.write(keys), ...decoder.flush()]) {
    const outcome = reduceKey(state, key, context);
    state = outcome.state;
    if (outcome.effect !== undefined) effects.push(outcome.effect);
  }
  const settled = answerHeldKey(state, context.question);
  state = settled.state;
  if (settled.effect !== undefined) effects.push(settled.effect);
  return { state, effects, text: state.edit.text };
}

const TYPING = { ...INITIAL_SCREEN_STATE, edit: textAtEnd("half") };

test.each([
  ["hi\r", "", [{ type: "submit", text: "hi" }]],
  ["  \r", "  ", []],
  ["a\nb\r", "", [{ type: "submit", text: "a\nb" }]],
  ["a\\\rb", "a\nb", []],
  ["a\x1b\rb", "a\nb", []],
  ["\x1b[200~a\rb\x1b[201~", "a\nb", []],
  ["one two\x17three", "one three", []],
  ["one\x15two\x19", "twoone", []],
  ["one\x01\x0b\x19\x19", "oneone", []],
  ["ab\x1b[D\x7fc", "cb", []],
  ["/he\r", "/help", []],
  ["/he\r\r", "", [{ type: "submit", text: "/help" }]],
  ["/mem\t", "/memory ", []],
  ["/memory\r", "", [{ type: "submit", text: "/memory" }]],
  ["/memory s\t\r", "", [{ type: "submit", text: "/memory show" }]],
  ["/\x1b[B\t", "/memory ", []],
  ["/he\x1b[27u\r", "", [{ type: "submit", text: "/he" }]],
  ["/nope\r", "", [{ type: "submit", text: "/nope" }]],
])(
  "the keys %j leave the text %j in the input field and cause the effects %j",
  (keys, text, effects) => {
    expect(type(keys)).toMatchObject({ text, effects });
  },
);

test.each([
  ["\x1b[A", "second"],
  ["\x1b[A\x1b[A", "first"],
  ["\x1b[A\x1b[A\x1b[A", "first"],
  ["\x1b[A\x1b[A\x1b[B", "second"],
  ["draft\x10\x0e", "draft"],
  ["a\nb\x1b[A\x1b[A", "second"],
])("the keys %j browse earlier prompts and leave the text %j in the input field", (keys, text) => {
  expect(type(keys).text).toBe(text);
});

test("Up withdraws the last queued prompt if the input field is empty", () => {
  const waits = { messageId: "m", text: "later", origin: { principal: "terminal", name: "" } };
  const context = { ...IDLE, queued: waits };

  expect(type("\x1b[A", context).effects).toEqual([{ type: "withdraw", prompt: waits }]);
  expect(type("half\x1b[A", context)).toMatchObject({ text: "second", effects: [] });
  expect(type("\x10", context)).toMatchObject({ text: "second", effects: [] });
});

test("a long paste is shown as a label and sent completely", () => {
  const lines = "line\n".repeat(20);

  expect(type(`see \x1b[200~${lines}\x1b[201~`).text).toBe("see [paste 1: 21 lines]");
  expect(type(`see \x1b[200~${lines}\x1b[201~\r`).effects).toEqual([
    { type: "submit", text: `see ${lines}`.trim() },
  ]);
});

test("Backspace deletes the whole label of a paste, but only one character of typed text", () => {
  const lines = "line\n".repeat(20);

  expect(type(`see \x1b[200~${lines}\x1b[201~\x7f`).text).toBe("see ");
  expect(type(`a\x1b[200~${lines}\x1b[201~b\x1b[D\x7f`).text).toBe("ab");
  expect(type("[paste 1: 21 lines]\x7f").text).toBe("[paste 1: 21 lines");
});

test("Enter sends nothing after the session has ended, except /quit", () => {
  const over = { ...IDLE, hasEnded: true };

  expect(type("hi\r", over)).toMatchObject({ text: "hi", effects: [] });
  expect(type("hi\r", over).state.notice).toBe("the session has ended");
  expect(type("/quit\r", over).effects).toEqual([{ type: "submit", text: "/quit" }]);
});

test("Enter completes a mention with the chosen file of the menu", () => {
  const withFiles = { ...INITIAL_SCREEN_STATE, files: ["src/one.ts", "src/two.ts"] };

  expect(type("see @tw\r", IDLE, withFiles).text).toBe("see @src/two.ts ");
});

describe("global keys", () => {
  const leave = { type: "leave", exitCode: 130 } as const;
  const keep = (text: string) => ({ type: "keep-draft", text }) as const;

  const contexts = {
    "while idle": IDLE,
    "during a turn": { ...IDLE, isBusy: true },
    "at a question": ASKED,
  };

  test.each([
    ["\x1b", "while idle", []],
    ["\x1b", "during a turn", [{ type: "cancel" }]],
    ["\x1b", "at a question", [{ type: "cancel" }]],
    ["/\x1b\x1b", "during a turn", [{ type: "cancel" }]],
    ["\x03", "while idle", []],
    ["\x03", "during a turn", [{ type: "cancel" }]],
    ["\x03", "at a question", [{ type: "cancel" }]],
    ["\x03\x03", "during a turn", [{ type: "cancel" }]],
    ["\x03\x03\x03", "during a turn", [{ type: "cancel" }, leave]],
    ["x\x03\x03\x03", "during a turn", [{ type: "cancel" }, keep("x"), leave]],
    ["x\x03\x03", "while idle", [keep("x"), leave]],
    ["\x03\x03", "while idle", [leave]],
    ["\x03x\x03", "while idle", [keep("x")]],
    ["\x04", "while idle", [{ type: "leave", exitCode: 0 }]],
    ["x\x04", "while idle", []],
    ["\x0f", "while idle", [{ type: "open-pager" }]],
    ["\x0c", "while idle", [{ type: "redraw" }]],
    ["\x1a", "while idle", [{ type: "suspend" }]],
  ] as const)("the keys %j %s cause the effects %j", (keys, context, effects) => {
    expect(type(keys, contexts[context]).effects).toEqual(effects);
  });

  test("Ctrl-C clears the text and explains what the next Ctrl-C does", () => {
    expect(type("\x03", IDLE, TYPING)).toMatchObject({
      text: "",
      effects: [keep("half")],
      state: {
        isLeaving: true,
        notice: "↑ or Ctrl-Y restores the text · press Ctrl-C again to leave",
      },
    });
  });

  test("the Ctrl-C that cancels the turn keeps the typed text", () => {
    expect(type("\x03", { ...IDLE, isBusy: true }, TYPING)).toMatchObject({
      text: "half",
      effects: [{ type: "cancel" }],
      state: { isLeaving: false },
    });
  });

  test("Ctrl-Y restores the text that Ctrl-C cleared, with pastes unfolded", () => {
    const paste = `\x1b[200~${"line\r".repeat(30)}\x1b[201~`;

    expect(type("half\x03\x19").text).toBe("half");
    expect(type(`${paste}\x03\x19`).text).toBe("line\n".repeat(30));
  });

  test("Shift-Tab cycles through the modes and back to the first", () => {
    const modes = [1, 2, 3, 4].map((times) => type("\x1b[Z".repeat(times)).state.chosenMode);

    expect(modes).toEqual(["auto-edit", "plan", "yolo", "default"]);
  });

  test("Shift-Tab continues from the current mode, even at a question", () => {
    expect(type("\x1b[Z", { ...ASKED, mode: "plan" }).state.chosenMode).toBe("yolo");
  });

  test("Shift-Tab shows a notice if the agent reports no mode", () => {
    expect(type("\x1b[Z", { ...IDLE, mode: undefined }).state).toMatchObject({
      notice: "this agent does not report a mode",
    });
  });
});

describe("keys at a dialog", () => {
  const { toolCallId } = QUESTION;
  const chosen = (optionId: string) => [{ type: "answer", toolCallId, optionId }];

  test.each([
    ["\r", chosen("proceed_once")],
    ["1", chosen("proceed_once")],
    ["3", chosen("cancel")],
    ["9", []],
    ["\x1b[B\r", chosen("proceed_always")],
    ["\x1b[A\r", chosen("cancel")],
    ["x", []],
    ["\x1b[200~1\x1b[201~", []],
  ])("the keys %j at a dialog cause the effects %j", (keys, effects) => {
    expect(type(keys, ASKED).effects).toEqual(effects);
  });

  test("a dialog gets the focus only after Tab if the person is typing", () => {
    expect(type("1\r", ASKED, TYPING).effects).toEqual([{ type: "submit", text: "half1" }]);
    expect(type("\t1", ASKED, TYPING).effects).toEqual(chosen("proceed_once"));
    expect(type("\tx", ASKED).text).toBe("x");
  });

  test.each([
    ["x", "x", []],
    ["yes, do it\r", "", [{ type: "submit", text: "yes, do it" }]],
    ["9", "9", []],
    ["\x1b[200~1\x1b[201~", "1", []],
    ["1 more thing\r", "", [{ type: "submit", text: "1 more thing" }]],
    ["2\x1b[200~ pasted\x1b[201~", "2 pasted", []],
  ])(
    "the keys %j at a dialog leave the text %j in the input field and cause the effects %j",
    (keys, text, effects) => {
      expect(type(keys, ASKED)).toMatchObject({ text, effects });
    },
  );

  test.each([
    ["1\r", chosen("proceed_once")],
    ["1\x7f", []],
    ["1\x03", [{ type: "cancel" }]],
    ["3\x1b[A\r", chosen("proceed_always")],
  ])(
    "a number key at a dialog waits for the next key: the keys %j cause the effects %j",
    (keys, effects) => {
      expect(type(keys, ASKED)).toMatchObject({ text: "", effects });
    },
  );

  test.each([
    ["1", "1"],
    ["\r", ""],
    ["e", "e"],
    ["1 more thing", "1 more thing"],
  ])("a dialog is not answered by the keys %j during its grace period", (keys, text) => {
    const early = type(keys, { ...ASKED, now: 499 });

    expect(early).toMatchObject({ text, effects: [] });
    if (keys === "\r") expect(early.state.notice).toContain("Enter again");
    expect(type("\r", { ...ASKED, now: 500 }).effects).toEqual(chosen("proceed_once"));
  });

  test("a dialog that replaces another dialog has its own grace period", () => {
    const first = type("\x1b[B", ASKED).state;
    const next = buildQuestion({ toolCallId: "next" });
    const shown = withShownQuestion(withQuestion(first, next), COMPLETE, 10_000);
    const press = (now: number) => type("1", { ...ASKED, question: next, now }, shown).effects;

    expect(press(10_499)).toEqual([]);
    expect(press(10_500)).toMatchObject([{ type: "answer", toolCallId: "next" }]);
  });

  test("a dialog that follows an answer has a shorter grace period", () => {
    const answered = type("1", ASKED).state;
    const next = buildQuestion({ toolCallId: "next" });
    const shown = withShownQuestion(withQuestion(answered, next), COMPLETE, 10_000);
    const press = (now: number) => type("1", { ...ASKED, question: next, now }, shown).effects;

    expect(press(10_149)).toEqual([]);
    expect(press(10_150)).toMatchObject([{ type: "answer", toolCallId: "next" }]);
  });

  test("Enter does not answer a dialog that is not visible, and a notice says what to do", () => {
    const hidden = withShownQuestion(type("", ASKED).state, HIDDEN_QUESTION, 10_000);
    const enter = reduceKey(hidden, { type: "key", name: "enter" }, { ...ASKED, now: 99_999 });

    expect(enter.effect).toBeUndefined();
    expect(enter.state.notice).toBe("make the window larger, or press Ctrl-O to see the question");
    expect(type("1", ASKED, withShownQuestion(hidden, COMPLETE, 0)).effects).toEqual(
      chosen("proceed_once"),
    );
  });

  test("a question that is cut off can be refused, but allowed only after the pager was opened", () => {
    const shown = withShownQuestion(withQuestion(INITIAL_SCREEN_STATE, QUESTION), COMPLETE, 0);
    const cut = withShownQuestion(shown, { isShown: true, isCut: true }, 0);
    const press = (name: "enter" | "up", start: ScreenState) =>
      reduceKey(start, { type: "key", name }, ASKED);

    expect(press("enter", cut).effect).toBeUndefined();
    expect(press("enter", cut).state.notice).toContain("Ctrl-O");
    expect(
      answerHeldKey(reduceKey(cut, { type: "text", text: "1" }, ASKED).state, QUESTION),
    ).toEqual({ state: expect.objectContaining({ notice: expect.stringContaining("Ctrl-O") }) });
    expect(press("enter", press("up", cut).state).effect).toEqual(chosen("cancel")[0]);
    const paged = reduceKey(cut, { type: "ctrl", letter: "o" }, ASKED);
    expect(paged.effect).toEqual({ type: "open-pager" });
    expect(press("enter", paged.state).effect).toEqual(chosen("proceed_once")[0]);
  });

  test("Enter does not answer a dialog while the input field contains text", () => {
    expect(type("\t\r", ASKED, TYPING)).toMatchObject({ text: "half", effects: [] });
  });

  test("the key r refuses a tool call with the text of the input field as the reason [TUI-01]", () => {
    const { toolCallId } = QUESTION;
    const reason = { type: "answer", toolCallId, optionId: "cancel", reason: "half" };

    expect(type("\tr", ASKED, TYPING)).toMatchObject({ text: "", effects: [reason] });
    // If the input field is empty, r is the start of a prompt.
    expect(type("r", ASKED)).toMatchObject({ text: "r", effects: [] });
  });

  test("a reason that contains a paste has the whole pasted text", () => {
    const lines = "line\n".repeat(20);
    const { effects } = type(`\x1b[200~${lines}\x1b[201~\tr`, ASKED, TYPING);

    expect(effects).toMatchObject([{ type: "answer", reason: `half${lines}`.trim() }]);
  });

  test("the key e at a dialog opens the editor only for a file change", () => {
    const value = { fileName: "a", filePath: "/a", newContent: "b" };
    const details = { $case: "fileEditDetails" as const, value };
    const change = buildQuestion({ confirmationRequest: { options: [], details } });
    const command = buildQuestion({
      confirmationRequest: {
        options: [],
        details: { $case: "executeDetails", value: { command: "ls" } },
      },
    });

    expect(type("e", { ...ASKED, question: change }).effects).toEqual([
      { type: "edit-proposal", toolCall: change },
    ]);
    expect(type("e", { ...ASKED, question: command }).effects).toEqual([]);
  });

  test("the dialog of the next question starts at its first option", () => {
    const { state } = type("\x1b[B", ASKED);

    const next = withQuestion(state, buildQuestion({ toolCallId: "next" }));

    expect(next.dialog).toMatchObject({ toolCallId: "next", index: 0, hasFocus: true });
    expect(withQuestion(next, undefined)).not.toHaveProperty("dialog");
  });
});
