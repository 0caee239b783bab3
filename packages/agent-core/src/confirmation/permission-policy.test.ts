import type { PermissionMode } from "@dt/schema";
import { expect, test } from "vitest";
import type { Action } from "../tools/action.js";
import { type Decision, decide } from "./permission-policy.js";

const actions = {
  "read inside": { type: "read", path: "/w/a", isInside: true },
  "read outside": { type: "read", path: "/etc/a", isInside: false },
  "edit inside": { type: "edit", path: "/w/a", isInside: true },
  "edit outside": { type: "edit", path: "/etc/a", isInside: false },
  "edit protected": { type: "edit", path: "/w/.git/a", isInside: true, isProtected: true },
  execute: {
    type: "execute",
    command: "ls",
    directory: "/w",
    parts: [{ program: "ls", args: [], writes: [] }],
  },
  "execute unknown": { type: "execute", command: "(", directory: "/w", parts: undefined },
  fetch: { type: "fetch", url: "https://example.com" },
  mcp: { type: "mcp", serverName: "s", toolName: "t" },
  other: { type: "other", name: "n", target: "t" },
} as const satisfies Record<string, Action>;

type Kind = keyof typeof actions;

const table: Record<PermissionMode, Record<Kind, Decision["type"]>> = {
  default: {
    "read inside": "allow",
    "read outside": "ask",
    "edit inside": "ask",
    "edit outside": "ask",
    "edit protected": "ask",
    execute: "ask",
    "execute unknown": "ask",
    fetch: "ask",
    mcp: "ask",
    other: "ask",
  },
  "auto-edit": {
    "read inside": "allow",
    "read outside": "ask",
    "edit inside": "allow",
    "edit outside": "ask",
    "edit protected": "ask",
    execute: "ask",
    "execute unknown": "ask",
    fetch: "ask",
    mcp: "ask",
    other: "ask",
  },
  yolo: {
    "read inside": "allow",
    "read outside": "allow",
    "edit inside": "allow",
    "edit outside": "allow",
    "edit protected": "allow",
    execute: "allow",
    "execute unknown": "allow",
    fetch: "allow",
    mcp: "allow",
    other: "allow",
  },
  plan: {
    "read inside": "allow",
    "read outside": "ask",
    "edit inside": "deny",
    "edit outside": "deny",
    "edit protected": "deny",
    execute: "deny",
    "execute unknown": "deny",
    fetch: "deny",
    mcp: "deny",
    other: "deny",
  },
};

const modes = Object.keys(table) as PermissionMode[];
const rows = modes.flatMap((mode) =>
  (Object.keys(actions) as Kind[]).map((kind) => [mode, kind, table[mode][kind]] as const),
);

test.each(rows)('in %s mode, the action "%s" gets the decision "%s"', (mode, kind, expected) => {
  expect(decide({ mode, actions: [actions[kind]], isRemembered: () => false }).type).toBe(expected);
});

test.each(rows)(
  'in %s mode, a remembered answer allows the action "%s" unless the mode denies it',
  (mode, kind, type) => {
    const decision = decide({ mode, actions: [actions[kind]], isRemembered: () => true });

    expect(decision.type).toBe(type === "ask" ? "allow" : type);
  },
);

test.each(rows)(
  'in %s mode, the action "%s" together with a read inside the workspace gets the decision "%s"',
  (mode, kind, expected) => {
    const both = [actions["read inside"], actions[kind]];

    expect(decide({ mode, actions: both, isRemembered: () => false }).type).toBe(expected);
  },
);

test.each(modes)("in %s mode a call without actions is allowed", (mode) => {
  expect(decide({ mode, actions: [], isRemembered: () => false })).toEqual({ type: "allow" });
});

test("a refusal in plan mode asks the model to describe the step", () => {
  const decision = decide({
    mode: "plan",
    actions: [actions["edit inside"]],
    isRemembered: () => false,
  });

  expect(decision).toEqual({
    type: "deny",
    reason:
      "in plan mode only reading is allowed: describe this step in the plan; it can be done once the person has left plan mode",
  });
});
