import { describe, expect, test } from "vitest";
import type { Action } from "../tools/action.js";
import {
  describeAlways,
  getAlwaysScopes,
  getRequiredScopes,
  isRemembered,
  type RememberedAnswer,
  toNumberedAnswer,
} from "./remembered-answers.js";

function execute(command: string, cover?: Cover, directory = "/w"): Action {
  return { type: "execute", command, directory, parts: [], ...(cover && { cover }) };
}

type Cover = NonNullable<(Action & { type: "execute" })["cover"]>;

const exact: Cover = { type: "exact" };

/** Builds a cover, as in `programs("ls -la", "cat")`. */
function programs(...calls: readonly string[]): Cover {
  const commands = calls.map((call) => {
    const [program = "", ...options] = call.split(" ");
    return { program, options };
  });
  return { type: "programs", commands };
}

test.each<[string, Action]>([
  ["edits inside the workspace", { type: "edit", path: "/w/a", isInside: true }],
  ["edits of /etc/a", { type: "edit", path: "/etc/a", isInside: false }],
  ["reads of /etc/a", { type: "read", path: "/etc/a", isInside: false }],
  [
    "searches of /etc and everything below it",
    { type: "read", path: "/etc", isInside: false, isDeep: true },
  ],
  ["requests to example.com:8443", { type: "fetch", url: "https://example.com:8443/a?b" }],
  ["calls of t on s", { type: "mcp", serverName: "s", toolName: "t" }],
  ["calls of restore", { type: "other", name: "restore", target: "x" }],
  ["exactly this command in /w", execute("rm x", exact)],
  [
    "ls -la with any paths inside the workspace, also combined by &&, ||, ; and | with other covered commands",
    execute("ls -la x", programs("ls -la")),
  ],
  [
    "cd to directories inside the workspace, also combined by &&, ||, ; and | with other covered commands",
    execute("cd x", programs("cd")),
  ],
])('the answer "always" can allow %s', (words, action) => {
  expect(describeAlways([action])).toBe(
    `${words}, for the rest of this turn and in later turns that you prompt`,
  );
});

test.each<[string, Action]>([
  ["an invalid URL", { type: "fetch", url: "no address" }],
  ["a protected call", { type: "other", name: "save_memory", target: "x", isProtected: true }],
  ["a protected file", { type: "edit", path: "/w/.git/config", isInside: true, isProtected: true }],
  ["a command with a variable", execute("rm $x")],
])('"always" is not offered for %s', (_, action) => {
  expect(describeAlways([action])).toBeUndefined();
});

test('"always" for listing a directory outside the workspace does not allow a search below it [SEC-06]', () => {
  const list: Action = { type: "read", path: "/etc", isInside: false };
  const [{ scope } = { scope: "" }] = getAlwaysScopes([list]);
  const answers = [{ principal: "ada", turn: 1, scope }];
  const turn = { number: 1, principal: "ada" };

  expect(isRemembered(answers, list, turn)).toBe(true);
  expect(isRemembered(answers, { ...list, isDeep: true }, turn)).toBe(false);
});

test('the text of "always" names each scope once and omits reads inside the workspace', () => {
  const actions: readonly Action[] = [
    { type: "read", path: "/w/a", isInside: true },
    { type: "mcp", serverName: "s", toolName: "t" },
    execute("rm x", exact),
    execute("rm x", exact),
  ];

  expect(describeAlways(actions)).toBe(
    "calls of t on s and exactly this command in /w, for the rest of this turn and in later turns that you prompt",
  );
});

test('the text of "always" joins three scopes by a comma and "and"', () => {
  const actions = ["a", "b", "c"].map((name) => ({ type: "other", name, target: "x" }) as const);

  expect(describeAlways(actions)).toBe(
    "calls of a, calls of b and calls of c, for the rest of this turn and in later turns that you prompt",
  );
});

test('"always" is not offered if one action of the call cannot be remembered', () => {
  expect(describeAlways([execute("rm x", exact), execute("$X")])).toBeUndefined();
});

describe("remembered answers", () => {
  const edit: Action = { type: "edit", path: "/w/a", isInside: true };
  const given: RememberedAnswer = { principal: "ada", turn: 3, scope: "edit:inside" };

  test.each([
    ["the rest of its turn, even if another user prompted the turn", 3, "bob", true],
    ["later turns of the same user", 7, "ada", true],
    ["no later turn of another user", 7, "bob", false],
  ])("a remembered answer applies to %s", (_, number, principal, expected) => {
    expect(isRemembered([given], edit, { number, principal })).toBe(expected);
  });
});

test.each<[string, Action, readonly string[]]>([
  ["an edit inside the workspace", { type: "edit", path: "/w/a", isInside: true }, ["edit:inside"]],
  [
    "an edit outside the workspace",
    { type: "edit", path: "/etc/a", isInside: false },
    ["edit:outside:/etc/a"],
  ],
  [
    "a search inside the workspace",
    { type: "read", path: "/w/a", isInside: true, isDeep: true },
    ["read:inside"],
  ],
  [
    "a read outside the workspace",
    { type: "read", path: "/etc/a", isInside: false },
    ["read:outside:/etc/a"],
  ],
  [
    "a search outside the workspace",
    { type: "read", path: "/etc", isInside: false, isDeep: true },
    ["read:outside-deep:/etc"],
  ],
  ["a fetch", { type: "fetch", url: "https://example.com:8443/a?b" }, ["fetch:example.com\\:8443"]],
  ["an MCP call", { type: "mcp", serverName: "s", toolName: "t" }, ["mcp:s:t"]],
  ["an `other` action", { type: "other", name: "restore", target: "x" }, ["other:restore"]],
  ["an exact command", execute("rm x", exact), ["execute-exact:/w:rm x"]],
  [
    "a command of two programs",
    execute("ls -la | cd x", programs("ls -la -h", "cd")),
    ["execute-program:ls:-la:-h", "execute-program:cd"],
  ],
  ["a command with a variable", execute("rm $x"), []],
])("the scopes of %s keep the keys that earlier versions stored", (_, action, keys) => {
  expect(getRequiredScopes(action).map(({ scope }) => scope)).toEqual(keys);
});

test('an answer stored without the fields "words" and "name" is shown with its scope and user', () => {
  const given = { principal: "ada", turn: 1, scope: "mcp:s:t" };

  expect(toNumberedAnswer(given, 4)).toEqual({
    ...given,
    words: "mcp: s: t",
    name: "ada",
    number: 4,
  });
  expect(toNumberedAnswer({ ...given, words: "w", name: "Ada" }, 5)).toEqual({
    ...given,
    words: "w",
    name: "Ada",
    number: 5,
  });
});

test("a colon in a server or tool name does not make two scopes equal", () => {
  const [first] = getRequiredScopes({ type: "mcp", serverName: "a:b", toolName: "c" });
  const [second] = getRequiredScopes({ type: "mcp", serverName: "a", toolName: "b:c" });

  expect(first?.scope).not.toBe(second?.scope);
});

test("an answer to an exact command allows only the same text in the same directory [SEC-07]", () => {
  const answers = remember([execute("rm -rf build", exact)]);

  expect(isRemembered(answers, execute("rm -rf build", exact), turn)).toBe(true);
  expect(isRemembered(answers, execute("rm -rf build", exact, "/other"), turn)).toBe(false);
  expect(isRemembered(answers, execute("rm -rf build ", exact), turn)).toBe(false);
  expect(isRemembered(answers, execute("rm -rf build"), turn)).toBe(false);
});

test("an answer for programs allows each program with the same options [SEC-07]", () => {
  const answers = remember([execute("ls -la | cat", programs("ls -la", "cat"))]);
  const isCovered = (...calls: readonly string[]) =>
    isRemembered(answers, execute("x", programs(...calls)), turn);

  expect(isCovered("ls -la")).toBe(true);
  expect(isCovered("cat", "ls -la", "cat")).toBe(true);
  expect(isCovered("ls")).toBe(false);
  expect(isCovered("ls -l -a")).toBe(false);
  expect(isCovered("cat", "wc")).toBe(false);
});

const turn = { number: 1, principal: "ada" };

function remember(actions: readonly Action[]): readonly RememberedAnswer[] {
  return actions
    .flatMap(getRequiredScopes)
    .map(({ scope }) => ({ principal: turn.principal, turn: turn.number, scope }));
}
