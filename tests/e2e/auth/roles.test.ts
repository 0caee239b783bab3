import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, includesRole, ROLES } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { type Authenticate, createPrometheusMetrics, type Right, ROLE_TABLE } from "@dt/server";
import type { TurnScript } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openLiveStage } from "../support/open-live-stage.js";
import { GUIDE_BINDING, ROLE_BINDINGS } from "./role-bindings.js";
import type { RoleStage } from "./role-requests.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const RIGHTS = Object.keys(ROLE_TABLE) as Right[];

/** An agent that asks a question if the prompt is "ask". */
const script: TurnScript = async ({ ask, text }) => {
  if (text === "ask") await ask(buildQuestion({ toolCallId: "call-1" }));
  return undefined;
};

/** Opens a server with one task of the user "ada" that waits for an answer. */
async function openRoleStage() {
  const metrics = createPrometheusMetrics();
  const stage = await openTokenStage({ script, server: { metrics } });
  const message = {
    kind: "message",
    messageId: randomUUID(),
    role: "user",
    parts: [{ kind: "text", text: "ask" }],
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  };
  const token = await stage.token("ada", "admin", { name: "first" });
  const body = rpc("message/send", { message });
  const { result } = await (await sendAs(stage.url, { token, body })).json();
  const ids: RoleStage = {
    ...stage,
    workspacePath: stage.workspace.root,
    taskId: result.id,
    contextId: result.contextId,
    callId: "call-1",
  };
  return { ...stage, ids };
}

test.for(Object.entries(ROLE_BINDINGS))(
  "%s allows each role exactly what the table of roles says [SEC-03]",
  async ([, binding]) => {
    await using stage = await openRoleStage();
    const tokens = new Map(
      await Promise.all(ROLES.map(async (role) => [role, await stage.token("ada", role)] as const)),
    );
    const allowed: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    // The table begins with the rights that only read, so their requests find the task unchanged.
    for (const right of RIGHTS) {
      const attempt = binding[right];
      if (attempt === undefined) continue;
      allowed[right] = [];
      expected[right] = ROLES.filter((role) => includesRole(role, ROLE_TABLE[right].role));
      for (const role of ROLES) {
        if (!(await attempt(stage.ids, tokens.get(role) ?? ""))) allowed[right]?.push(role);
      }
    }

    expect(allowed).toEqual(expected);
    expect(stage.faults).toEqual([]);
  },
);

test("the matrix of roles, requests and bindings is that of the table of roles", async () => {
  const bindings = { ...ROLE_BINDINGS, "the guide of a live endpoint": GUIDE_BINDING };
  const names = Object.keys(bindings);
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = RIGHTS.map((right) => {
    const { effect, role } = ROLE_TABLE[right];
    const cells = Object.values(bindings).map((binding) => (right in binding ? role : "–"));
    return row([effect, ...cells]);
  });
  const lines = [
    "# Requests, bindings and roles",
    "",
    "Each cell is the lowest role that may send the request over the binding, or – if the binding does not have it.",
    "A test sends each of these requests with each role. This file is written by `npm test -- tests/e2e/auth/roles.test.ts -u`.",
    "",
    row(["a request that", ...names]),
    row(["---", ...names.map(() => "---")]),
    ...rows,
  ];

  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("./__snapshots__/roles-matrix.md");
});

test("every right in the table of roles is tested over at least one binding", () => {
  const attempted = new Set(
    Object.values(ROLE_BINDINGS).flatMap((binding) => Object.keys(binding)),
  );

  expect(RIGHTS.filter((right) => !attempted.has(right))).toEqual([]);
});

test("a refused prompt creates no task, and its error names the caller's and the required role", async () => {
  await using stage = await openRoleStage();
  const observer = await stage.token("bob", "observe");
  const message = {
    kind: "message",
    messageId: randomUUID(),
    role: "user",
    parts: [{ kind: "text", text: "hi" }],
  };

  const refused = await sendAs(stage.url, {
    token: observer,
    body: rpc("message/send", { message }),
  });
  const { error } = await refused.json();
  const tasks = await (await sendAs(`${stage.url}v1/tasks`, { token: observer })).json();

  expect(error).toMatchObject({
    code: -32055,
    data: { reason: "forbidden", role: "observe", requiredRole: "prompt" },
  });
  expect(tasks.totalSize ?? 0).toBe(0);
});

test("a caller with the role admin does not see the tasks of other users", async () => {
  await using stage = await openRoleStage();
  const admin = await stage.token("root", "admin");

  const found = await sendAs(`${stage.url}v1/tasks/${stage.ids.taskId}`, { token: admin });
  const list = await (await sendAs(`${stage.url}v1/tasks`, { token: admin })).json();

  expect(found.status).toBe(404);
  expect(list.totalSize ?? 0).toBe(0);
});

test("the guide of a live endpoint allows each role exactly what the table of roles says [SEC-03]", async () => {
  const authenticate: Authenticate = ({ headers }) => {
    const role = ROLES.find((each) => headers.authorization === `Bearer ${each}`) ?? "observe";
    return { user: "ada", name: "ada", role };
  };
  await using stage = await openLiveStage({ server: { authenticate } });
  const { taskId, contextId } = stage.live;
  const ids: RoleStage = {
    ...stage,
    url: stage.url,
    wsUrl: stage.wsUrl,
    grpcAddress: "",
    workspacePath: stage.workspace.root,
    taskId,
    contextId,
    callId: "none",
  };

  for (const right of RIGHTS) {
    const attempt = GUIDE_BINDING[right];
    if (attempt === undefined) continue;
    const allowed: string[] = [];
    for (const role of ROLES) if (!(await attempt(ids, role))) allowed.push(role);
    const expected = ROLES.filter((role) => includesRole(role, ROLE_TABLE[right].role));
    expect({ right, allowed }).toEqual({ right, allowed: expected });
  }
});

test("the role approve may switch to a mode that asks less, and the role prompt may not [SEC-10]", async () => {
  const role: Authenticate = ({ headers }) => ({
    user: "ada",
    name: "ada",
    role: headers.authorization === "Bearer approve" ? "approve" : "prompt",
  });
  await using stage = await openLiveStage({ server: { authenticate: role } });
  const mode = async (token: string, args: string) => {
    const headers = { "X-DT-Client-Id": randomUUID(), "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };
    const body = rpc("command/execute", { command_path: ["mode"], args });
    const response = await sendAs(stage.url, { token, body, headers });
    return (await response.json()).result;
  };

  expect(await mode("prompt", "yolo")).toMatchObject({
    status: "FAILED_TO_START",
    message: "the mode yolo needs the role approve, and yours is prompt",
  });
  expect(await mode("prompt", "plan")).toMatchObject({ status: "STARTED" });
  expect(await mode("approve", "yolo")).toMatchObject({ status: "STARTED" });
});
