import { expect, test } from "vitest";
import { decodeGeminiCommandResult, decodeGeminiCommands } from "../gemini/gemini-command-codec.js";
import {
  decodeNotesCommand,
  encodeNotesCommandEnd,
  encodeNotesCommands,
} from "./notes-command-codec.js";

const fact = { name: "fact", description: "what to remember", isRequired: true };
const leaf = { arguments: [], subCommands: [] };
const commands = [
  {
    name: "memory",
    description: "Manage memory.",
    arguments: [],
    subCommands: [
      { ...leaf, name: "show", description: "Shows it." },
      { ...leaf, name: "add", description: "Adds to it.", arguments: [fact] },
    ],
  },
];

test("a sub-command has its whole path as its name [SRV-05]", () => {
  const encoded = encodeNotesCommands(commands);

  expect(encoded).toEqual({
    commands: [
      {
        name: "memory",
        description: "Manage memory.",
        arguments: [],
        subCommands: [
          { name: "memory show", description: "Shows it.", arguments: [], subCommands: [] },
          { name: "memory add", description: "Adds to it.", arguments: [fact], subCommands: [] },
        ],
      },
    ],
  });
  expect(decodeGeminiCommands(encoded)).toEqual(commands);
});

test.each([
  [{ command: "memory show" }, { name: "memory show", path: ["memory", "show"], args: "" }],
  [
    { command: "/memory  show", args: [] },
    { name: "memory show", path: ["memory", "show"], args: "" },
  ],
  [
    { command: "memory add", args: ["one", "two"] },
    { name: "memory add", path: ["memory", "add"], args: "one two" },
  ],
  [{ command: "memory" }, { name: "memory show", path: ["memory", "show"], args: "" }],
  [
    { command: "extensions", args: [] },
    { name: "extensions list", path: ["extensions", "list"], args: "" },
  ],
  [{ command: "restore list" }, { name: "restore list", path: ["restore"], args: "" }],
  [{ command: "help" }, { name: "help", path: ["help"], args: "" }],
  [
    { command: "stats", contextId: "c", taskId: "t" },
    { name: "stats", path: ["stats"], args: "", contextId: "c", taskId: "t" },
  ],
])("the body %j is decoded as the command %j [SRV-05]", (body, command) => {
  expect(decodeNotesCommand(body)).toEqual(command);
});

test.each([
  [undefined, 'Invalid "command" field.'],
  [{}, 'Invalid "command" field.'],
  [{ command: 5 }, 'Invalid "command" field.'],
  [{ command: " / " }, 'Invalid "command" field.'],
  [{ command: "extensions", args: "x" }, '"args" field must be an array.'],
  [{ command: "extensions", args: [5] }, '"args" field must contain only strings.'],
])("the body %j is refused with the text of gemini-cli's server [SRV-05]", (body, message) => {
  expect(() => decodeNotesCommand(body)).toThrow(message);
});

test.each([
  [
    { name: "memory show", text: "empty" },
    { name: "memory show", data: "empty" },
  ],
  [
    { name: "restore list", text: "[]" },
    { name: "restore list", data: { type: "message", messageType: "info", content: "[]" } },
  ],
  [
    { name: "restore", text: "", error: "there is no checkpoint" },
    {
      name: "restore",
      data: { type: "message", messageType: "error", content: "there is no checkpoint" },
    },
  ],
])("the end %j of a command is encoded as by gemini-cli's server [SRV-05]", (end, reply) => {
  expect(encodeNotesCommandEnd(end)).toEqual(reply);
  const { text, error } = end as { text: string; error?: string };
  const read = decodeGeminiCommandResult(reply);
  expect(error === undefined ? read.text : read.error).toBe(error ?? text);
});
