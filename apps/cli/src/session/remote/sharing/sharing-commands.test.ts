import { expect, test } from "vitest";
import { isNotSharing, parseSharing } from "./parse-sharing.js";
import { accessLines, runSharing } from "./run-sharing.js";

const parse = (name: string, args = "") => parseSharing({ path: [name], args });

test.each([
  ["share", "bob approve", { type: "share", user: "bob", role: "approve" }],
  ["share", "bob prompt 12h", { type: "share", user: "bob", role: "prompt", ttlSeconds: 43_200 }],
  ["share", "--link observe 7d", { type: "share", role: "observe", ttlSeconds: 604_800 }],
  ["unshare", "bob", { type: "unshare", which: { user: "bob" } }],
  ["unshare", "0123456789abcdef", { type: "unshare", which: { grantId: "0123456789abcdef" } }],
  ["access", "", { type: "access" }],
  ["help", "", undefined],
])("/%s %s is parsed [TEAM-01]", (name, args, expected) => {
  expect(parse(name, args)).toEqual(expected);
});

test.each([
  ["share", "bob"],
  ["share", "bob admin"],
  ["share", "bob prompt soon"],
  ["share", "bob prompt 7d now"],
  ["unshare", ""],
  ["unshare", "bob eve"],
])("/%s %s is refused with the expected form", (name, args) => {
  expect(() => parse(name, args)).toThrow("expected ");
});

test("the commands for sharing replace commands of the agent with the same names", () => {
  expect([{ name: "share" }, { name: "help" }].filter(isNotSharing)).toEqual([{ name: "help" }]);
});

const grant = {
  grantId: "0123456789abcdef",
  user: "",
  role: "observe",
  createdAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-08T00:00:00.000Z",
  linkId: "",
};

test("the command to pass on has the secret of the link after the #", async () => {
  const sharing = {
    share: async () => ({ grant, link: "dtl_secret" }),
    unshare: async () => 2,
    access: () => Promise.reject(new Error("not called")),
    join: () => Promise.reject(new Error("not called")),
    list: () => Promise.reject(new Error("not called")),
  };
  const scope = {
    client: { sharing },
    contextId: "c",
    url: "https://dt.example/",
    signal: new AbortController().signal,
  };

  expect(await runSharing({ type: "share", role: "observe" }, scope)).toEqual([
    "dt attach 'https://dt.example/#dtl_secret'",
    "this link is shown once: whoever holds the link has the role observe until 2026-01-08 00:00Z",
  ]);
  expect(await runSharing({ type: "unshare", which: { user: "bob" } }, scope)).toEqual([
    "2 grants were taken back",
  ]);
});

test("/access shows the owner, the grants and who is connected", () => {
  const joined = { ...grant, grantId: "fedcba9876543210", user: "bob", linkId: grant.grantId };
  const list = {
    contextId: "c",
    owner: "ada",
    role: "approve",
    grants: [grant, joined],
    clients: [{ principal: "bob", name: "bob/laptop" }],
  };

  expect(accessLines(list)).toEqual([
    "owner: ada",
    "0123456789abcdef  whoever holds the link has the role observe until 2026-01-08 00:00Z",
    "fedcba9876543210  bob has the role observe by the link 0123456789abcdef until 2026-01-08 00:00Z",
    "connected: bob/laptop",
  ]);
});
