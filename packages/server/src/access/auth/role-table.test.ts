import { ROLES } from "@dt/schema";
import { expect, test } from "vitest";
import {
  checkRole,
  checkSessionRole,
  type Right,
  ROLE_TABLE,
  type RoleRule,
} from "./role-table.js";

const rights = Object.keys(ROLE_TABLE) as readonly Right[];
const allows = (check: () => void) => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

test("each role adds rights to the rights of the roles below it [SEC-10]", () => {
  const added = ROLES.map((role, index) => {
    const below = ROLES[index - 1];
    return rights.filter(
      (right) =>
        allows(() => checkRole({ role }, right)) &&
        (below === undefined || !allows(() => checkRole({ role: below }, right))),
    );
  });

  expect(Object.fromEntries(ROLES.map((role, index) => [role, added[index]]))).toEqual({
    observe: [
      "get",
      "list",
      "subscribe",
      "follow-session",
      "get-metadata",
      "list-metadata",
      "get-push-config",
      "list-push-configs",
      "list-commands",
      "extended-card",
      "end-client",
      "session-access",
      "join-session",
      "list-granted",
    ],
    prompt: [
      "send",
      "stream",
      "create-task",
      "cancel",
      "execute-command",
      "set-push-config",
      "delete-push-config",
    ],
    approve: ["answer", "share-session", "unshare-session", "auto-execute"],
    admin: ["read-metrics"],
  });
});

test("a refusal names the role that the token or the guest would need [SEC-10]", () => {
  const data = { role: "observe", requiredRole: "approve" };

  expect(() => checkRole({ role: "observe" }, "answer")).toThrow(
    expect.objectContaining({
      code: "forbidden",
      message:
        "a request that answers a question by a message needs the role approve, and yours is observe; use a token with that role",
      data,
    }),
  );
  expect(() => checkSessionRole("observe", "answer")).toThrow(
    expect.objectContaining({
      code: "forbidden",
      message:
        "a request that answers a question by a message needs the role approve, and yours in this session is observe; ask its owner",
      data,
    }),
  );
  expect(() => checkSessionRole("approve", "answer")).not.toThrow();
});

test("each right has a description of its effect, and routes outside of A2A are listed", () => {
  const routes = Object.values<RoleRule>(ROLE_TABLE).flatMap((rule) => rule.routes ?? []);

  for (const { effect } of Object.values<RoleRule>(ROLE_TABLE)) {
    expect(effect).toMatch(/^[a-z]+s /);
  }
  expect(routes.toSorted()).toEqual([
    "DELETE /sessions/{id}/grants/{grantId}",
    "GET /listCommands",
    "GET /metrics",
    "GET /sessions/{id}/access",
    "GET /sessions:shared",
    "GET /tasks",
    "GET /tasks/metadata",
    "GET /tasks/{id}",
    "GET /tasks/{id}/metadata",
    "POST /executeCommand",
    "POST /message/stream",
    "POST /sessions/{id}/grants",
    "POST /sessions:join",
    "POST /tasks",
    "POST /tasks/{id}/execute",
    "POST /tasks/{id}/messages",
  ]);
});
