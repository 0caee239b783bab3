import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { ExternalVerdict } from "@dt/schema";
import { expect, test } from "vitest";
import {
  createExternalAgent,
  EXTERNAL_AGENT_NAMES,
  readAgentVariables,
  splitCommandLine,
} from "./external-agents.js";
import { choosePermission } from "./permission-outcome.js";
import { toPromptBlocks } from "./prompt-blocks.js";

test.each([
  ["a b", ["a", "b"]],
  ["  a  'b c' \"d 'e'\" ", ["a", "b c", "d 'e'"]],
  ["a ''", ["a", ""]],
  ["", []],
])("the command line %j has the words %j", (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test("the error for a command line with an unclosed quote or without a program says what to do", () => {
  expect(() => createExternalAgent({ agent: "a 'b" })).toThrow("unclosed '; close it");
  expect(() => createExternalAgent({ agent: " " })).toThrow("use one of gemini, claude, codex");
});

test("gemini gets the same environment variables if it is chosen by name or by command line", () => {
  const preset = createExternalAgent({ agent: "gemini", keepVariables: ["MINE"] });
  const line = createExternalAgent({ agent: "/opt/bin/gemini --acp --debug" });

  expect(EXTERNAL_AGENT_NAMES).toEqual(["gemini", "claude", "codex", "opencode"]);
  expect([preset.name, line.name]).toEqual(["gemini", "gemini"]);
  expect(line.program.args).toEqual(["--acp", "--debug"]);
  expect(preset.program.keepVariables).toEqual([...line.program.keepVariables, "MINE"]);
});

test("readAgentVariables reads variable names and a timeout, and refuses an invalid timeout", () => {
  expect(readAgentVariables({ DT_AGENT_VARIABLES: "A, B,", DT_AGENT_TIMEOUT_MS: "5" })).toEqual({
    keepVariables: ["A", "B"],
    timeouts: { initialize: 5, open: 5 },
  });
  expect(() => readAgentVariables({ DT_AGENT_TIMEOUT_MS: "soon" })).toThrow("DT_AGENT_TIMEOUT_MS");
});

const option = (kind: PermissionOption["kind"]): PermissionOption => ({
  optionId: kind,
  name: kind,
  kind,
});

test.each<[ExternalVerdict, readonly PermissionOption["kind"][], string | undefined]>([
  ["allowed", ["allow_always", "allow_once", "reject_once"], "allow_once"],
  ["allowed", ["allow_always", "reject_once"], "reject_once"],
  ["allowed", ["allow_always"], undefined],
  ["refused", ["allow_once", "reject_always", "reject_once"], "reject_once"],
  ["refused", ["allow_once", "reject_always"], "reject_always"],
  ["refused", ["allow_once"], undefined],
  ["withdrawn", ["allow_once", "reject_once"], undefined],
])("if a call is %s and the options are %j, the agent gets %s", (verdict, kinds, chosen) => {
  expect(choosePermission(kinds.map(option), verdict)).toEqual(
    chosen === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: chosen },
  );
});

test("content that an agent does not accept in a prompt is sent as text", () => {
  const image = { type: "file", bytes: "AAAA", mediaType: "image/png", name: "a.png" } as const;
  const note = { type: "file", bytes: "aGk=", mediaType: "text/plain", name: "n.txt" } as const;
  const none = { image: false, audio: false, embeddedContext: false };
  const all = { image: true, audio: true, embeddedContext: true };

  expect(toPromptBlocks([image, note, { type: "data", data: { a: 1 } }], none)).toEqual([
    { type: "text", text: "[file a.png (image/png), which this agent does not accept]" },
    { type: "text", text: "n.txt:\nhi" },
    { type: "text", text: '{"a":1}' },
  ]);
  expect(toPromptBlocks([image, note], all)).toEqual([
    { type: "image", data: "AAAA", mimeType: "image/png" },
    {
      type: "resource",
      resource: { uri: "attachment:n.txt", mimeType: "text/plain", text: "hi" },
    },
  ]);
});
