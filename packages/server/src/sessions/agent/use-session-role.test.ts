import { type Caller, ROLES, type Role, type SessionRequest } from "@dt/schema";
import { expect, test } from "vitest";
import { TEST_SETTINGS } from "../../testing/open-test-registry.js";
import { useSessionRole } from "./use-session-role.js";

const session = {
  contextId: "c",
  owner: "ada",
  settings: TEST_SETTINGS,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const bob: Caller = { user: "bob", name: "Bob", role: "admin" };

/** Sends a request as a guest with a role in the session; returns the reply and the caller that the agent got. */
async function ask(request: object, role: Role | undefined) {
  const seen: Caller[] = [];
  const access = {
    toSessionCaller: async (_: unknown, caller: Caller) => role && { ...caller, role },
  };
  const handle = useSessionRole(
    session,
    access,
  )(async (_, caller) => {
    seen.push(caller);
    return { type: "changed", isChanged: true };
  });
  const reply = await handle(request as SessionRequest, bob);
  return { reply, seen };
}

async function lowestRoleFor(request: object): Promise<Role | undefined> {
  for (const role of ROLES) if ((await ask(request, role)).seen.length > 0) return role;
  return undefined;
}

test.each([
  ["observe", ["list-commands", "get-modes", "get-metadata", "list-permissions"]],
  ["prompt", ["prompt", "steer", "withdraw", "cancel", "retry", "command", "open-task"]],
  ["approve", ["answer", "forget-permissions"]],
  ["admin", ["announce-access", "finish"]],
] as const)("a guest needs at least the role %s for %j [SEC-10]", async (role, types) => {
  const lowest = await Promise.all(types.map((type) => lowestRoleFor({ type })));

  expect(lowest).toEqual(types.map(() => role));
});

test.each([
  ["prompt", { mode: "yolo" }],
  ["prompt", { taskMode: "auto-edit" }],
  ["steer", { mode: "auto-edit" }],
  ["steer", { taskMode: "yolo" }],
  ["open-task", { taskMode: "yolo" }],
])("a %s with %j approves tools in advance, so it needs approve [SEC-10]", async (type, modes) => {
  expect(await lowestRoleFor({ type, ...modes })).toBe("approve");
});

test("a mode that asks for every tool needs no more than the role prompt", async () => {
  expect(await lowestRoleFor({ type: "prompt", mode: "plan", taskMode: "default" })).toBe("prompt");
});

test("a guest reaches the agent with the role of this session, or gets a refusal as the reply [SEC-10]", async () => {
  const accepted = await ask({ type: "prompt" }, "prompt");
  const refused = await ask({ type: "answer" }, "prompt");
  const stranger = await ask({ type: "get-modes" }, undefined);

  expect(accepted).toEqual({
    reply: { type: "changed", isChanged: true },
    seen: [{ ...bob, role: "prompt" }],
  });
  expect(refused.seen).toEqual([]);
  expect(refused.reply).toMatchObject({
    type: "refused",
    code: "forbidden",
    message:
      "your role prompt in this session does not include answer; ask the owner of the session for a higher one",
  });
  expect(stranger.reply).toMatchObject({
    type: "refused",
    code: "task-not-found",
    message: "there is no session c",
  });
});
