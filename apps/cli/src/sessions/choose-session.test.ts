import { expect, test } from "vitest";
import { chooseSession, type ListedSession, sessionTable } from "./choose-session.js";

const session = (contextId: string, workspacePath: string, lastPrompt?: string): ListedSession => ({
  contextId,
  lastActiveAt: "2026-01-02T03:04:05.678Z",
  settings: { workspacePath, allowedTools: [], mcpServers: {} },
  ...(lastPrompt !== undefined && { lastPrompt }),
});
const SESSIONS = [
  session("abcd1111-0", "/one", "say\x1b[2J hi"),
  session("abcd2222-0", "/two"),
  session("ef", "/two"),
];

test.each([
  ["abcd1", "/two", "abcd1111-0"],
  ["abcd2222-0", "/one", "abcd2222-0"],
])("the id %j in the directory %s chooses the session %s", (id, workspacePath, contextId) => {
  expect(chooseSession(SESSIONS, { id, workspacePath }).contextId).toBe(contextId);
});

test("without an id, the last session of the directory is chosen", () => {
  const choose = (workspacePath: string) =>
    chooseSession(SESSIONS, { id: undefined, workspacePath }).contextId;

  expect(choose("/two")).toBe("abcd2222-0");
  expect(() => choose("/three")).toThrow(
    "/three has no session to resume; dt --list-sessions shows all sessions",
  );
});

test.each([
  ["abc", "2 sessions have an id that begins with abc; give more characters"],
  ["ef", "the id ef is too short; give at least 4 characters"],
  ["nope", "there is no session nope; dt --list-sessions shows all sessions"],
  ["abcd", "2 sessions have an id that begins with abcd; give more characters"],
])("the session id %j is refused with an error that gives advice", (id, message) => {
  expect(() => chooseSession(SESSIONS, { id, workspacePath: "/three" })).toThrow(message);
});

test("each session is listed on one line with control characters escaped", () => {
  expect(sessionTable(SESSIONS.slice(0, 1))).toBe("abcd1111  2026-01-02 03:04  /one  say␛[2J hi");
  expect(sessionTable([])).toBe("no sessions yet");
});
