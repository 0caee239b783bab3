import { expect, test } from "vitest";
import { chooseSession, type ListedSession, sessionTable } from "./choose-session.js";

const session = (contextId: string, workspacePath: string, lastPrompt?: string): ListedSession => ({
  contextId,
  lastActiveAt: "2026-01-02T03:04:05.678Z",
  settings: { workspacePath, allowedTools: [], mcpServers: {} },
  ...(lastPrompt !== undefined && { lastPrompt }),
});
const sessions = [
  session("abcd1111-0", "/one", "say\x1b[2J hi"),
  session("abcd2222-0", "/two"),
  session("ef", "/two"),
];

test.each([
  [undefined, "/two", "abcd2222-0"],
  ["abcd1", "/two", "abcd1111-0"],
  ["abcd2222-0", "/one", "abcd2222-0"],
])("%j in %s is %s", (id, workspacePath, contextId) => {
  expect(chooseSession(sessions, { id, workspacePath }).contextId).toBe(contextId);
});

test.each([
  [undefined, "there is no session of /three to resume; dt --list-sessions shows all"],
  ["abc", "abc begins the ids of 2 sessions; say more of it"],
  ["ef", "ef is too little of an id: say at least 4 letters of it"],
  ["nope", "there is no session nope; dt --list-sessions shows all"],
  ["abcd", "abcd begins the ids of 2 sessions; say more of it"],
])("%j is refused with what to do", (id, message) => {
  expect(() => chooseSession(sessions, { id, workspacePath: "/three" })).toThrow(message);
});

test("sessions are listed one a line, harmlessly", () => {
  expect(sessionTable(sessions.slice(0, 1))).toBe("abcd1111  2026-01-02 03:04  /one  say␛[2J hi");
  expect(sessionTable([])).toBe("no sessions yet");
});
