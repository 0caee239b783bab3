import { buildQuestion } from "@dt/schema/testing";
import { describe, expect, test } from "vitest";
import { createKeyDecoder } from "../../keys/decode-keys.js";
import { textAtEnd } from "../../prompt/edit-text.js";
import type { Effect } from "../state/effect.js";
import {
  initialScreenState,
  type KeyContext,
  type ScreenState,
  withQuestion,
  withShownQuestion,
} from "../state/screen-state.js";
import { reduceKey, settleHeldKey } from "./reduce-key.js";

const idle: KeyContext = {
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
const question = buildQuestion();
const asked: KeyContext = { ...idle, question, isBusy: true };

const whole = { isShown: true, isCut: false };
const nothing = { isShown: false, isCut: true };

/** Types as a terminal sends it, and then nothing for a while; gives the state and what was brought about. */
function type(keys: string, context: KeyContext = idle, start: ScreenState = initialScreenState) {
  const decoder = createKeyDecoder();
  let state = withShownQuestion(withQuestion(start, context.question), whole, 0);
  const effects: Effect[] = [];
  for (const key of [...decoder.write(keys), ...decoder.flush()]) {
    const outcome = reduceKey(state, key, context);
    state = outcome.state;
    if (outcome.effect !== undefined) effects.push(outcome.effect);
  }
  const settled = settleHeldKey(state, context.question);
  state = settled.state;
  if (settled.effect !== undefined) effects.push(settled.effect);
  return { state, effects, text: state.edit.text };
}

const typing = { ...initialScreenState, edit: textAtEnd("half") };

describe("the prompt", () => {
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
  ])("%j leaves %j and does %j", (keys, text, effects) => {
    expect(type(keys)).toMatchObject({ text, effects });
  });

  test.each([
    ["\x1b[A", "second"],
    ["\x1b[A\x1b[A", "first"],
    ["\x1b[A\x1b[A\x1b[A", "first"],
    ["\x1b[A\x1b[A\x1b[B", "second"],
    ["draft\x10\x0e", "draft"],
    ["a\nb\x1b[A\x1b[A", "second"],
  ])("%j recalls %j", (keys, text) => {
    expect(type(keys).text).toBe(text);
  });

  test("Up takes back the last prompt that waits, if nothing is written", () => {
    const waits = { messageId: "m", text: "later", origin: { principal: "terminal", name: "" } };
    const context = { ...idle, queued: waits };

    expect(type("\x1b[A", context).effects).toEqual([{ type: "withdraw", prompt: waits }]);
    expect(type("half\x1b[A", context)).toMatchObject({ text: "second", effects: [] });
    expect(type("\x10", context)).toMatchObject({ text: "second", effects: [] });
  });

  test("a long paste stands there by its name and is sent whole", () => {
    const lines = "line\n".repeat(20);

    expect(type(`see \x1b[200~${lines}\x1b[201~`).text).toBe("see [paste 1: 21 lines]");
    expect(type(`see \x1b[200~${lines}\x1b[201~\r`).effects).toEqual([
      { type: "submit", text: `see ${lines}`.trim() },
    ]);
  });

  test("Backspace behind a long paste takes all of it; a name that was typed goes by letters", () => {
    const lines = "line\n".repeat(20);

    expect(type(`see \x1b[200~${lines}\x1b[201~\x7f`).text).toBe("see ");
    expect(type(`a\x1b[200~${lines}\x1b[201~b\x1b[D\x7f`).text).toBe("ab");
    expect(type("[paste 1: 21 lines]\x7f").text).toBe("[paste 1: 21 lines");
  });

  test("stays in the box when the session has ended; leaving is still possible", () => {
    const over = { ...idle, hasEnded: true };

    expect(type("hi\r", over)).toMatchObject({ text: "hi", effects: [] });
    expect(type("hi\r", over).state.notice).toBe("the session has ended");
    expect(type("/quit\r", over).effects).toEqual([{ type: "submit", text: "/quit" }]);
  });

  test("a file is named by the menu", () => {
    const withFiles = { ...initialScreenState, files: ["src/one.ts", "src/two.ts"] };

    expect(type("see @tw\r", idle, withFiles).text).toBe("see @src/two.ts ");
  });
});

describe("everywhere", () => {
  const leave = { type: "leave", exitCode: 130 } as const;
  const keep = (text: string) => ({ type: "keep-draft", text }) as const;

  test.each([
    ["\x1b", idle, []],
    ["\x1b", { ...idle, isBusy: true }, [{ type: "cancel" }]],
    ["\x1b", asked, [{ type: "cancel" }]],
    ["/\x1b\x1b", { ...idle, isBusy: true }, [{ type: "cancel" }]],
    ["\x03", idle, []],
    ["\x03", { ...idle, isBusy: true }, [{ type: "cancel" }]],
    ["\x03", asked, [{ type: "cancel" }]],
    ["\x03\x03", { ...idle, isBusy: true }, [{ type: "cancel" }]],
    ["\x03\x03\x03", { ...idle, isBusy: true }, [{ type: "cancel" }, leave]],
    ["x\x03\x03\x03", { ...idle, isBusy: true }, [{ type: "cancel" }, keep("x"), leave]],
    ["x\x03\x03", idle, [keep("x"), leave]],
    ["\x03\x03", idle, [leave]],
    ["\x03x\x03", idle, [keep("x")]],
    ["\x04", idle, [{ type: "leave", exitCode: 0 }]],
    ["x\x04", idle, []],
    ["\x0f", idle, [{ type: "open-pager" }]],
    ["\x0c", idle, [{ type: "redraw" }]],
    ["\x1a", idle, [{ type: "suspend" }]],
  ] as const)("%j brings about what it should %#", (keys, context, effects) => {
    expect(type(keys, context).effects).toEqual(effects);
  });

  test("the first Ctrl-C clears what was typed and says what the second one does", () => {
    expect(type("\x03", idle, typing)).toMatchObject({
      text: "",
      effects: [keep("half")],
      state: {
        isLeaving: true,
        notice: "↑ or Ctrl-Y brings it back · press Ctrl-C again to leave",
      },
    });
  });

  test("Ctrl-C that cancels the turn leaves what is being written", () => {
    expect(type("\x03", { ...idle, isBusy: true }, typing)).toMatchObject({
      text: "half",
      effects: [{ type: "cancel" }],
      state: { isLeaving: false },
    });
  });

  test("Ctrl-Y brings back what Ctrl-C cleared, a folded paste as it was pasted", () => {
    const paste = `\x1b[200~${"line\r".repeat(30)}\x1b[201~`;

    expect(type("half\x03\x19").text).toBe("half");
    expect(type(`${paste}\x03\x19`).text).toBe("line\n".repeat(30));
  });

  test("Shift-Tab goes through the modes and back to the first", () => {
    const modes = [1, 2, 3, 4].map((times) => type("\x1b[Z".repeat(times)).state.chosenMode);

    expect(modes).toEqual(["auto-edit", "plan", "yolo", "default"]);
  });

  test("Shift-Tab goes on from the mode that holds, at a question too", () => {
    expect(type("\x1b[Z", { ...asked, mode: "plan" }).state.chosenMode).toBe("yolo");
  });

  test("Shift-Tab says so where the agent tells no mode", () => {
    expect(type("\x1b[Z", { ...idle, mode: undefined }).state).toMatchObject({
      notice: "this agent tells no mode",
    });
  });
});

describe("a dialog", () => {
  const { toolCallId } = question;
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
  ])("%j answers %j", (keys, effects) => {
    expect(type(keys, asked).effects).toEqual(effects);
  });

  test("that opens while someone types does not take their keys; Tab goes there and back", () => {
    expect(type("1\r", asked, typing).effects).toEqual([{ type: "submit", text: "half1" }]);
    expect(type("\t1", asked, typing).effects).toEqual(chosen("proceed_once"));
    expect(type("\tx", asked).text).toBe("x");
  });

  test.each([
    ["x", "x", []],
    ["yes, do it\r", "", [{ type: "submit", text: "yes, do it" }]],
    ["9", "9", []],
    ["\x1b[200~1\x1b[201~", "1", []],
    ["1 more thing\r", "", [{ type: "submit", text: "1 more thing" }]],
    ["2\x1b[200~ pasted\x1b[201~", "2 pasted", []],
  ])("never takes what is typed: %j leaves %j and does %j", (keys, text, effects) => {
    expect(type(keys, asked)).toMatchObject({ text, effects });
  });

  test.each([
    ["1\r", chosen("proceed_once")],
    ["1\x7f", []],
    ["1\x03", [{ type: "cancel" }]],
    ["3\x1b[A\r", chosen("proceed_always")],
  ])(
    "a letter that answers is made sure of, or taken back, by the next key: %j",
    (keys, effects) => {
      expect(type(keys, asked)).toMatchObject({ text: "", effects });
    },
  );

  test.each([
    ["1", "1"],
    ["\r", ""],
    ["e", "e"],
    ["1 more thing", "1 more thing"],
  ])("is not answered by %j that was on its way before the question was seen", (keys, text) => {
    const early = type(keys, { ...asked, now: 499 });

    expect(early).toMatchObject({ text, effects: [] });
    if (keys === "\r") expect(early.state.notice).toContain("Enter again");
    expect(type("\r", { ...asked, now: 500 }).effects).toEqual(chosen("proceed_once"));
  });

  test("of a question that came instead of another's is not answered at once either", () => {
    const first = type("\x1b[B", asked).state;
    const next = buildQuestion({ toolCallId: "next" });
    const shown = withShownQuestion(withQuestion(first, next), whole, 10_000);
    const press = (now: number) => type("1", { ...asked, question: next, now }, shown).effects;

    expect(press(10_499)).toEqual([]);
    expect(press(10_500)).toMatchObject([{ type: "answer", toolCallId: "next" }]);
  });

  test("of the question behind one's own answer has the focus again, after a moment", () => {
    const answered = type("1", asked).state;
    const next = buildQuestion({ toolCallId: "next" });
    const shown = withShownQuestion(withQuestion(answered, next), whole, 10_000);
    const press = (now: number) => type("1", { ...asked, question: next, now }, shown).effects;

    expect(press(10_149)).toEqual([]);
    expect(press(10_150)).toMatchObject([{ type: "answer", toolCallId: "next" }]);
  });

  test("that cannot be seen is not answered, and says why", () => {
    const hidden = withShownQuestion(type("", asked).state, nothing, 10_000);
    const enter = reduceKey(hidden, { type: "key", name: "enter" }, { ...asked, now: 99_999 });

    expect(enter.effect).toBeUndefined();
    expect(enter.state.notice).toBe("make the window larger, or Ctrl-O to see it");
    expect(type("1", asked, withShownQuestion(hidden, whole, 0)).effects).toEqual(
      chosen("proceed_once"),
    );
  });

  test("that is not seen whole can be refused, and allowed once the pager was opened on it", () => {
    const shown = withShownQuestion(withQuestion(initialScreenState, question), whole, 0);
    const cut = withShownQuestion(shown, { isShown: true, isCut: true }, 0);
    const press = (name: "enter" | "up", start: ScreenState) =>
      reduceKey(start, { type: "key", name }, asked);

    expect(press("enter", cut).effect).toBeUndefined();
    expect(press("enter", cut).state.notice).toContain("Ctrl-O");
    expect(
      settleHeldKey(reduceKey(cut, { type: "text", text: "1" }, asked).state, question),
    ).toEqual({ state: expect.objectContaining({ notice: expect.stringContaining("Ctrl-O") }) });
    expect(press("enter", press("up", cut).state).effect).toEqual(chosen("cancel")[0]);
    const paged = reduceKey(cut, { type: "ctrl", letter: "o" }, asked);
    expect(paged.effect).toEqual({ type: "open-pager" });
    expect(press("enter", paged.state).effect).toEqual(chosen("proceed_once")[0]);
  });

  test("that was gone to with something typed is answered by a number, not by Enter", () => {
    expect(type("\t\r", asked, typing)).toMatchObject({ text: "half", effects: [] });
  });

  test("offers the editor for a change of a file, and for nothing else", () => {
    const value = { fileName: "a", filePath: "/a", newContent: "b" };
    const details = { $case: "fileEditDetails" as const, value };
    const change = buildQuestion({ confirmationRequest: { options: [], details } });
    const command = buildQuestion({
      confirmationRequest: {
        options: [],
        details: { $case: "executeDetails", value: { command: "ls" } },
      },
    });

    expect(type("e", { ...asked, question: change }).effects).toEqual([
      { type: "edit-proposal", toolCall: change },
    ]);
    expect(type("e", { ...asked, question: command }).effects).toEqual([]);
  });

  test("of the next question begins with the first option", () => {
    const { state } = type("\x1b[B", asked);

    const next = withQuestion(state, buildQuestion({ toolCallId: "next" }));

    expect(next.dialog).toMatchObject({ toolCallId: "next", index: 0, hasFocus: true });
    expect(withQuestion(next, undefined)).not.toHaveProperty("dialog");
  });
});
