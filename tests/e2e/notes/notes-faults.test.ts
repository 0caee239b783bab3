// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import { request } from "node:http";
import { expect, test } from "vitest";
import { answer, openNotesStage, questionOf } from "./notes-stage.js";

const anyText = expect.any(String);

test.each([
  ["the id of an unknown task", { taskId: "nope", userMessage: "hi" }, 404, "Task not found"],
  ["a missing userMessage", { taskId: "nope" }, 400, "userMessage: required"],
  [
    "a userMessage of a wrong type",
    { userMessage: 5 },
    400,
    "userMessage: expected a text or an object",
  ],
  ["a workspace that does not exist", settings("/nowhere/at/all"), 400, anyText],
  ["a relative workspace", settings("src"), 400, expect.stringContaining("absolute")],
  [
    "a workspace outside the roots",
    settings("/"),
    403,
    expect.stringContaining("DT_WORKSPACE_ROOTS"),
  ],
  ["a too long context id", { contextId: "x".repeat(300), userMessage: "hi" }, 400, anyText],
  [
    "an answer without a task id",
    { userMessage: { kind: "tool-call-confirmation", toolCallId: "c", approved: true } },
    400,
    anyText,
  ],
])(
  "POST /message/stream with %s is refused with an error object [SRV-04]",
  async (_name, body, status, error) => {
    await using stage = await openNotesStage();

    const response = await stage.send("message/stream", body);

    expect([response.status, await response.json()]).toEqual([status, { error }]);
    expect(await stage.get("tasks/metadata")).toEqual([]);
    expect(stage.faults).toEqual([]);
  },
);

function settings(workspacePath: string) {
  return { userMessage: "hi", agentSettings: { kind: "agent-settings", workspacePath } };
}

test.each(["message/stream", "executeCommand"])(
  "the route %s refuses GET and bodies that are broken, too large or not JSON",
  async (route) => {
    await using stage = await openNotesStage({ maxBodyBytes: 1_000 });
    const url = stage.at(route);
    const json = { "Content-Type": "application/json" };

    const replies = await Promise.all([
      fetch(url, { method: "POST", headers: json, body: "{" }),
      fetch(url, { method: "POST", headers: json, body: JSON.stringify("x".repeat(2_000)) }),
      fetch(url, { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" }),
      fetch(url),
    ]);

    expect(replies.map(({ status }) => status)).toEqual([400, 413, 415, 405]);
    for (const reply of replies) expect(await reply.json()).toEqual({ error: anyText });
    expect(replies[3]?.headers.get("Allow")).toBe("POST");
  },
);

test.each(["tasks/metadata", "tasks/nope/metadata", "listCommands"])(
  "the route %s refuses DELETE with 405",
  async (route) => {
    await using stage = await openNotesStage();

    const response = await fetch(stage.at(route), { method: "DELETE" });

    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET"]);
    expect(await response.json()).toEqual({ error: "DELETE is not possible here; use GET" });
  },
);

test.each([
  ["tasks/nope/metadata", 404, "Task not found"],
  ["tasks/metadata?limit=0", 400, "limit: expected a whole number of at least 1"],
  ["tasks/metadata?limit=1&limit=2", 400, "limit: expected one value"],
  ["tasks/metadata?after=x", 400, "after: expected the value of an earlier page's Link header"],
  ["listCommands?contextId=nope", 404, "context_id: there is no session nope"],
  ["tasks/%E0/metadata", 400, anyText],
])("GET /%s is refused with an error object [SRV-03]", async (route, status, error) => {
  await using stage = await openNotesStage();

  const response = await fetch(stage.at(route));

  expect([response.status, await response.json()]).toEqual([status, { error }]);
  expect(stage.faults).toEqual([]);
});

test("a late answer gets 409, and an answer to an unknown question gets 404 [SRV-04, CLI-14]", async () => {
  await using stage = await openNotesStage();
  const asked = await stage.stream({ userMessage: "write a.txt: hi" });
  const question = questionOf(asked);
  await stage.stream(answer(question, true));

  const late = await stage.send("message/stream", answer(question, false));
  const unknown = answer(question, true);
  const other = { ...unknown, userMessage: { ...unknown.userMessage, toolCallId: "nope" } };
  const missing = await stage.send("message/stream", other);

  expect([late.status, await late.json()]).toEqual([
    409,
    { error: expect.stringContaining("already answered by local with proceed_once") },
  ]);
  expect([missing.status, await missing.json()]).toEqual([
    404,
    { error: "no question of the tool call nope is open" },
  ]);
});

test("POST /message/stream with an unknown Last-Event-ID is refused with 410 [LOG-02]", async () => {
  await using stage = await openNotesStage();
  const body = { messageId: "m", userMessage: "say hi" };
  await stage.stream(body);

  const response = await stage.send("message/stream", body, { "Last-Event-ID": "99.1.zzzzzz" });

  expect([response.status, await response.json()]).toEqual([410, { error: anyText }]);
});

test("POST /message/stream refuses a context id that is not the context of the task", async () => {
  await using stage = await openNotesStage();
  const { taskId } = await stage.createTask();

  const response = await stage.send("message/stream", {
    taskId,
    contextId: "other",
    userMessage: "say hi",
  });

  expect([response.status, await response.json()]).toEqual([
    400,
    { error: expect.stringContaining("contextId") },
  ]);
});

test("every route of the notes checks Host and Origin [SEC-01]", async () => {
  await using stage = await openNotesStage();
  const routes = [
    ["POST", "message/stream"],
    ["POST", "executeCommand"],
    ["GET", "listCommands"],
    ["GET", "tasks/metadata"],
    ["GET", "tasks/x/metadata"],
  ] as const;

  for (const [method, route] of routes) {
    for (const headers of [{ Host: "evil.example" }, { Origin: "https://evil.example" }])
      expect(await statusOf(stage.at(route), method, headers)).toBe(403);
  }
});

/** Sends a request with node:http, because fetch cannot set the Host header. */
async function statusOf(url: URL, method: string, headers: Record<string, string>) {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}
