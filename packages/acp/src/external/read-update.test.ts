import type { ExternalUpdate } from "@dt/schema";
import { expect, test } from "vitest";
import { readAcpUpdate } from "./read-update.js";

const text = (value: unknown) => ({ type: "text", text: value });
const chunk = (content: unknown) => ({ sessionUpdate: "agent_message_chunk", content });

test.each<[string, unknown, readonly ExternalUpdate[]]>([
  ["text", chunk(text("hi")), [{ type: "text", text: "hi" }]],
  ["empty text", chunk(text("")), []],
  ["text of a wrong type", chunk(text(7)), []],
  [
    "an image",
    chunk({ type: "image", data: "AAAA", mimeType: "image/png" }),
    [
      {
        type: "text",
        text: "",
        attachments: [{ type: "file", bytes: "AAAA", mediaType: "image/png" }],
      },
    ],
  ],
  [
    "a link",
    chunk({ type: "resource_link", uri: "file:///a", name: "a" }),
    [{ type: "text", text: "", attachments: [{ type: "file", uri: "file:///a", name: "a" }] }],
  ],
  [
    "a thought",
    { sessionUpdate: "agent_thought_chunk", content: text("hm") },
    [{ type: "thought", text: "hm" }],
  ],
  [
    "a plan",
    { sessionUpdate: "plan", entries: [{ content: "a", status: "completed" }, { content: "b" }] },
    [
      {
        type: "todos",
        todos: [
          { description: "a", status: "COMPLETED" },
          { description: "b", status: "PENDING" },
        ],
      },
    ],
  ],
  [
    "usage",
    {
      sessionUpdate: "usage_update",
      used: 5.4,
      size: 1e12,
      cost: { amount: 0.1, currency: "USD" },
    },
    [
      {
        type: "usage",
        usage: {
          contextTokens: 5,
          contextLimit: 2 ** 31 - 1,
          cost: { amount: "0.1", currency: "USD" },
        },
      },
    ],
  ],
  ["usage without a size", { sessionUpdate: "usage_update", used: 5 }, []],
  [
    "a notice",
    { sessionUpdate: "notice", message: "slow", severity: "warning" },
    [{ type: "notice", level: "warn", text: "slow" }],
  ],
  ["a prompt that is repeated", { sessionUpdate: "user_message_chunk", content: text("x") }, []],
  ["an unknown update", { sessionUpdate: "from_the_future" }, []],
  ["no update at all", undefined, []],
  ["a call without an id", { sessionUpdate: "tool_call", title: "x" }, []],
  [
    "a call",
    {
      sessionUpdate: "tool_call",
      toolCallId: "1",
      title: "Edit",
      name: "write",
      kind: "edit",
      status: "pending",
      rawInput: { a: 1 },
      locations: [{ path: "/a" }, { line: 1 }],
      content: [
        { type: "diff", path: "/a", oldText: null, newText: "x" },
        { type: "content", content: text("out") },
      ],
    },
    [
      {
        type: "call",
        call: {
          id: "1",
          title: "Edit",
          toolName: "write",
          kind: "edit",
          status: "pending",
          input: { a: 1 },
          text: "out",
          diffs: [{ path: "/a", newText: "x" }],
          paths: ["/a"],
        },
      },
    ],
  ],
  [
    "a call with fields of wrong types",
    { sessionUpdate: "tool_call_update", toolCallId: "1", kind: "magic", status: 3, content: "x" },
    [{ type: "call", call: { id: "1" } }],
  ],
  [
    "a call with only a raw output",
    { sessionUpdate: "tool_call_update", toolCallId: "1", rawOutput: { output: "done" } },
    [{ type: "call", call: { id: "1", text: "done" } }],
  ],
])("readAcpUpdate converts %s", (_name, update, expected) => {
  expect(readAcpUpdate(update)).toEqual(expected);
});

test("a diff that is too large is left out, and its call gets the kind other, which asks [ACP-03]", () => {
  const small = { type: "diff", path: "/a", newText: "x" };
  const large = { type: "diff", path: "/b", newText: "x".repeat(1_000_001) };
  const read = (...content: object[]) =>
    readAcpUpdate({ sessionUpdate: "tool_call", toolCallId: "1", kind: "edit", content });

  expect(read(large)).toEqual([{ type: "call", call: { id: "1", kind: "other" } }]);
  expect(read(small, large)).toEqual([
    { type: "call", call: { id: "1", kind: "other", diffs: [{ path: "/a", newText: "x" }] } },
  ]);
});
