import type { PermissionMode } from "@dt/schema";
import { expect, test } from "vitest";
import { reduceSessionState } from "../record/reduce-session-state.js";
import {
  type AcceptedPrompt,
  EMPTY_SESSION_STATE,
  type SessionState,
} from "../record/session-state.js";
import { createCredentialModes } from "./credential-modes.js";

const prompt = (more: Partial<AcceptedPrompt> = {}): AcceptedPrompt => ({
  messageId: "m",
  taskId: "t",
  parts: [],
  origin: { principal: "ada", name: "Ada" },
  turn: 1,
  ...more,
});

/**
 * Creates the modes of a session. If `running` is given, the session runs a turn with that prompt.
 */
function openModes(
  running?: Partial<AcceptedPrompt>,
  state: Partial<SessionState> = {},
  maxMode: PermissionMode = "yolo",
) {
  const gone = new Set<string>();
  let current: SessionState = { ...EMPTY_SESSION_STATE, ...state };
  if (running !== undefined) {
    current = reduceSessionState(current, { type: "prompted", prompt: prompt(running) });
    current = reduceSessionState(current, { type: "turn-started", turn: 1 });
  }
  const modes = createCredentialModes({
    startMode: "auto-edit",
    maxMode,
    isAlive: (credential) => !gone.has(credential),
    state: () => current,
  });
  return {
    modes,
    leave: (credential: string) => gone.add(credential),
  };
}

test("a credential has the mode that it set, and other credentials have the session's mode", () => {
  const { modes } = openModes();

  modes.set("a", { name: "A", mode: "yolo" });

  expect([modes.find("a"), modes.find("b"), modes.find(undefined)]).toEqual([
    "yolo",
    "auto-edit",
    "auto-edit",
  ]);
});

test.each([
  ["yolo", "auto-edit"],
  ["plan", "plan"],
] as const)("after a credential with the mode %s has ended, its mode is %s", (mode, left) => {
  const { modes, leave } = openModes();
  modes.set("a", { name: "A", mode });

  leave("a");

  expect(modes.find("a")).toBe(left);
});

test("the mode of an ended credential is kept only while one of its prompts waits or runs", () => {
  const { modes, leave } = openModes(
    { credential: "runs" },
    { queue: [prompt({ turn: 2, credential: "waits" })] },
  );
  for (const credential of ["runs", "waits", "idle", "alive"])
    modes.set(credential, { name: credential, mode: "plan" });
  for (const credential of ["runs", "waits", "idle"]) leave(credential);

  modes.set("new", { name: "new", mode: "yolo" });

  expect(["runs", "waits", "idle", "alive"].map((credential) => modes.find(credential))).toEqual([
    "plan",
    "plan",
    "auto-edit",
    "plan",
  ]);
});

test.each<[string, Partial<AcceptedPrompt>, string]>([
  ["the mode of its prompt", { mode: "plan", taskMode: "yolo", credential: "a" }, "plan"],
  [
    "the mode that its prompt sets for the task",
    { taskMode: "default", credential: "a" },
    "default",
  ],
  ["the mode of its credential", { credential: "a" }, "yolo"],
  ["the mode of the session", {}, "auto-edit"],
])("a turn uses %s", (_, running, expected) => {
  const { modes } = openModes(running);
  modes.set("a", { name: "A", mode: "yolo" });

  expect(modes.ofTurn()).toBe(expected);
});

test.each<[string, Partial<AcceptedPrompt>, string]>([
  ["applies to a later prompt of the same sender", { credential: "a" }, "yolo"],
  ["does not apply to another credential", { credential: "b" }, "auto-edit"],
  ["does not apply to an anonymous request", {}, "auto-edit"],
  [
    "does not apply to another user",
    { credential: "a", origin: { principal: "bob", name: "" } },
    "auto-edit",
  ],
  [
    "does not apply to another task of the same sender",
    { credential: "a", taskId: "u" },
    "auto-edit",
  ],
])("the mode of a task %s", (_, running, expected) => {
  const taskModes = { t: { principal: "ada", credential: "a", mode: "yolo" } } as const;
  const { modes } = openModes(running, { taskModes });

  expect(modes.ofTurn()).toBe(expected);
});

test("a task's mode ends with the credential that set it", () => {
  const taskModes = { t: { principal: "ada", credential: "a", mode: "yolo" } } as const;
  const { modes, leave } = openModes({ credential: "a" }, { taskModes });

  leave("a");

  expect(modes.ofTurn()).toBe("auto-edit");
});

test("ofTurn() returns the session's mode if no turn runs", () => {
  expect(openModes().modes.ofTurn()).toBe("auto-edit");
});

test("others() lists the modes of other live credentials and the turn's own mode", () => {
  const { modes, leave } = openModes({ mode: "yolo", credential: "c" });
  modes.set("a", { name: "A", mode: "plan" });
  modes.set("b", { name: "B", mode: "yolo" });
  leave("b");

  expect(modes.others("x")).toEqual([
    { name: "A", mode: "plan" },
    { name: "Ada", mode: "yolo" },
  ]);
  expect(modes.others("a")).toEqual([{ name: "Ada", mode: "yolo" }]);
  expect(modes.others("c")).toEqual([{ name: "A", mode: "plan" }]);
  expect(openModes({ taskMode: "plan" }).modes.others("x")).toEqual([
    { name: "Ada", mode: "plan" },
  ]);
  expect(openModes({}).modes.others("x")).toEqual([]);
});

test.each<[source: string, prompt: Partial<AcceptedPrompt>, state: Partial<SessionState>]>([
  ["the start mode of the session", {}, {}],
  ["the prompt", { mode: "yolo" }, {}],
  ["the prompt's task", { taskMode: "yolo" }, {}],
  ["an earlier prompt of the task", {}, { taskModes: { t: { mode: "yolo", principal: "ada" } } }],
])(
  "no turn is freer than the freest allowed mode, whatever %s says [SEC-10]",
  (_, running, state) => {
    const { modes } = openModes(running, state, "default");

    expect([modes.ofTurn(), modes.find(undefined)]).toEqual(["default", "default"]);
    expect(modes.others("somebody")).toEqual(
      running.mode === undefined && running.taskMode === undefined
        ? []
        : [{ name: "Ada", mode: "default" }],
    );
  },
);

test("a mode that is too free becomes the freest allowed mode, and a stricter mode is kept [SEC-10]", () => {
  const { modes } = openModes({ credential: "a" }, {}, "default");

  modes.set("a", { name: "A", mode: "yolo" });
  modes.set("b", { name: "B", mode: "plan" });

  expect([modes.find("a"), modes.ofTurn(), modes.find("b")]).toEqual([
    "default",
    "default",
    "plan",
  ]);
});
