import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyDecoder, type Key, splitKey } from "./decode-keys.js";

const text = (value: string): Key => ({ type: "text", text: value });
const key = (name: Extract<Key, { type: "key" }>["name"]): Key => ({ type: "key", name });

function decode(input: string): readonly Key[] {
  const decoder = createKeyDecoder();
  return [...decoder.write(input), ...decoder.flush()];
}

test.each<[string, readonly Key[]]>([
  ["abc", [text("abc")]],
  ["ä漢👩‍👩‍👧", [text("ä漢👩‍👩‍👧")]],
  ["hi\r", [text("hi"), key("enter")]],
  ["\n", [key("newline")]],
  ["\x1b\r", [key("newline")]],
  ["\x1b[13;2u", [key("newline")]],
  ["\x1b[27;2;13~", [key("newline")]],
  ["\t\x1b[Z", [key("tab"), key("shift-tab")]],
  ["\x7f\b", [key("backspace"), key("backspace")]],
  ["\x1b", [key("escape")]],
  ["\x1b\x1b", [key("escape"), key("escape")]],
  ["\x1b\x15", [key("escape"), { type: "ctrl", letter: "u" }]],
  ["\x1b[A\x1bOB", [key("up"), key("down")]],
  ["\x1b[1;5C\x1b[1;3D", [key("word-right"), key("word-left")]],
  [
    "\x1b[H\x1b[F\x1b[3~\x1b[5~\x1b[6~",
    ["home", "end", "delete", "page-up", "page-down"].map((name) => key(name as "home")),
  ],
  [
    "\x03\x0f",
    [
      { type: "ctrl", letter: "c" },
      { type: "ctrl", letter: "o" },
    ],
  ],
  [
    "\x1bb\x1b\x7f",
    [
      { type: "alt", letter: "b" },
      { type: "alt", letter: "backspace" },
    ],
  ],
  ["\x1b[200~a\rb\r\nc\x1b[201~d", [{ type: "paste", text: "a\nb\nc" }, text("d")]],
  ["\x1b[200~a\x1b[31mb\x1b[201~", [{ type: "paste", text: "a\x1b[31mb" }]],
  ["\x1b[200~\x1b[201~", [{ type: "paste", text: "" }]],
  ["\x1b[99;99zx", [text("x")]],
  ["\x1b[?1;2cx", [text("x")]],
  ["\x1b[12", [key("escape")]],
])("the input %j is decoded to its keys", (input, keys) => {
  expect(decode(input)).toEqual(keys);
});

test("the decoded keys do not depend on how the input is split into chunks", () => {
  const part = fc.constantFrom(
    "abc",
    "\x1b[A",
    "\r",
    "\x1b[200~p\rq\x1b[201~",
    "\x1b[1;5C",
    "\x01",
    "ü",
    "\x1b[3~",
  );
  fc.assert(
    fc.property(
      fc.array(part),
      fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
      (parts, cuts) => {
        const input = parts.join("");
        const decoder = createKeyDecoder();
        const keys: Key[] = [];
        for (let at = 0; at < input.length; ) {
          const size = cuts.next().value ?? 1;
          keys.push(...decoder.write(input.slice(at, at + size)));
          at += size;
        }
        expect(joined([...keys, ...decoder.flush()])).toEqual(joined(decode(input)));
      },
    ),
  );
});

test("an escape byte is pending until the next byte arrives", () => {
  const decoder = createKeyDecoder();

  expect(decoder.write("\x1b")).toEqual([]);
  expect(decoder.isPending).toBe(true);
  expect(decoder.write("[A")).toEqual([key("up")]);
  expect(decoder.isPending).toBe(false);
});

/** Joins adjacent text keys, which may arrive in several chunks. */
function joined(keys: readonly Key[]): readonly Key[] {
  const all: Key[] = [];
  for (const each of keys) {
    const last = all.at(-1);
    if (each.type === "text" && last?.type === "text") {
      all[all.length - 1] = text(last.text + each.text);
    } else {
      all.push(each);
    }
  }
  return all;
}

test("a text key is split after its first character", () => {
  expect(splitKey({ type: "text", text: "g😀q" })).toEqual([
    { type: "text", text: "g" },
    { type: "text", text: "😀q" },
  ]);
  expect(splitKey({ type: "text", text: "q" })).toEqual([{ type: "text", text: "q" }, undefined]);
});
