import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DEVELOPMENT_TOOL_URI, ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { openLiveStage } from "./support/open-live-stage.js";
import { post } from "./support/raw-rpc.js";
import { refusedWith } from "./ws-client.js";

/** Authenticates two users by their tokens. */
function authenticate({ headers }: IncomingMessage) {
  const token = /^Bearer (ada|bob)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) throw new ProtocolError("forbidden", "a token is needed");
  return { user: token, name: token, role: "admin" } as const;
}

/** Creates a client with a token and a client id. */
function join(url: string, token: string, clientId: string) {
  const headers = {
    Authorization: `Bearer ${token}`,
    "X-DT-Client-Id": clientId,
    "X-A2A-Extensions": DEVELOPMENT_TOOL_URI,
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
  const call = async (method: string, params: object): Promise<any> =>
    await (await post(url, method, params, headers)).json();
  const send = async (part: object, taskId?: string) =>
    await call("message/send", {
      message: {
        kind: "message",
        messageId: randomUUID(),
        role: "user",
        parts: [part],
        ...(taskId !== undefined && { taskId }),
      },
    });
  return {
    call,
    command: async (name: string, args: string) =>
      await call("command/execute", { command_path: [name], args }),
    /** Sends a prompt; resolves with the id of the tool call that has a question, or with undefined. */
    async prompt(text: string) {
      const { result } = await send({ kind: "text", text });
      const question = result.status.message?.parts.at(-1)?.data;
      return question?.status === "PENDING" ? question.tool_call_id : undefined;
    },
    answer: async (taskId: string, tool_call_id: string, selected_option_id: string) =>
      await send({ kind: "data", data: { tool_call_id, selected_option_id } }, taskId),
  };
}

async function openStage() {
  const stage = await openLiveStage({ server: { authenticate } });
  const clientId = randomUUID();
  const ada = join(stage.url, "ada", clientId);
  const bob = join(stage.url, "bob", clientId);
  return Object.assign(stage, { ada, bob });
}

test("a second user with the same client id neither gets nor ends the first user's mode [SEC-10]", async () => {
  await using stage = await openStage();
  const { ada, bob, live } = stage;

  await ada.command("mode", "yolo");
  const ofBob = await bob.prompt("write b.txt: 1");
  await bob.answer(live.taskId, ofBob ?? "", "cancel");
  await bob.call("client/end", {});

  expect(ofBob).toBeDefined();
  expect(await ada.prompt("write a.txt: 1")).toBeUndefined();
});

test('another user can neither use nor revoke an "always" answer [SEC-07]', async () => {
  await using stage = await openStage();
  const { ada, bob, live } = stage;
  const first = await ada.prompt("run ls");
  await ada.answer(live.taskId, first ?? "", "proceed_always");

  const ofBob = await bob.prompt("run ls .");
  await bob.answer(live.taskId, ofBob ?? "", "cancel");
  await bob.command("permissions", "clear");
  await bob.command("permissions", "remove 1");

  expect(ofBob).toBeDefined();
  expect(await ada.prompt("run ls .")).toBeUndefined();
});

const unknownCallers: [name: string, headers: Record<string, string>][] = [
  ["no token", {}],
  ["an unknown token", { Authorization: "Bearer eve" }],
  ["another scheme", { Authorization: "Basic ada" }],
];

test.each(unknownCallers)(
  "a request with %s is refused over HTTP and WebSocket",
  async (_, headers) => {
    await using stage = await openStage();

    const rpc = await (await post(stage.url, "tasks/list", {}, headers)).json();
    const rest = await fetch(`${stage.url}v1/tasks`, { headers });
    const guide = await fetch(`${stage.url}tasks`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
    });
    const socket = await refusedWith(`${stage.url.replace("http", "ws")}ws`, { headers });

    expect(rpc).toMatchObject({ error: { code: -32055 } });
    expect([rest.status, guide.status, socket]).toEqual([403, 403, 403]);
  },
);
