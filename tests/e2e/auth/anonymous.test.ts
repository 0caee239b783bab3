import type { AgentServerOptions } from "@dt/server";
import { expect, test } from "vitest";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const open = (server: Partial<AgentServerOptions>) => openTokenStage({ server });
const list = { body: rpc("tasks/list", {}) };

test("a process of this machine needs no token by default, even if tokens exist [CLI-20]", async () => {
  await using stage = await open({ isAuthRequired: false });
  await stage.token("ada");

  const response = await sendAs(stage.url, list);

  expect(response.status).toBe(200);
  expect(stage.server.requiresToken).toBe(false);
});

test.for<[string, Partial<AgentServerOptions>]>([
  ["it requires authentication", { isAuthRequired: true }],
  ["it has a public address", { isAuthRequired: false, publicUrl: "https://dt.example/" }],
  ["it accepts other host names", { isAuthRequired: false, allowedHosts: ["dt.example"] }],
])("a server requires a token from every process if %s [SRV-18]", async ([, options]) => {
  await using stage = await open(options);
  const token = await stage.token("ada");

  const nobody = await sendAs(stage.url, list);
  const ada = await sendAs(stage.url, { ...list, token });

  expect([nobody.status, ada.status]).toEqual([401, 200]);
});

test.for([
  { Forwarded: "for=10.0.0.1" },
  { Via: "1.1 proxy" },
  { "X-Forwarded-For": "10.0.0.1" },
  { "X-Forwarded-Host": "dt.example" },
  { "X-Forwarded-Proto": "https" },
  { "X-Real-IP": "10.0.0.1" },
])("a request with the forwarding header %j needs a token", async (headers) => {
  await using stage = await open({ isAuthRequired: false });
  const token = await stage.token("ada");

  const nobody = await sendAs(stage.url, { ...list, headers });
  const ada = await sendAs(stage.url, { ...list, headers, token });

  expect([nobody.status, ada.status]).toEqual([401, 200]);
  expect((await nobody.json()).error.message).toContain("a request through a proxy");
});

test("a request with an invalid token is refused, not served as the local user", async () => {
  await using stage = await open({ isAuthRequired: false });

  const response = await sendAs(stage.url, {
    ...list,
    token: `dt_0123456789abcdef_${"x".repeat(43)}`,
  });

  expect(response.status).toBe(401);
});

test("a user with a token and the local user have separate sessions", async () => {
  await using stage = await open({ isAuthRequired: false });
  const token = await stage.token("ada");
  const message = {
    kind: "message",
    messageId: "m",
    role: "user",
    parts: [{ kind: "text", text: "hi" }],
  };

  const { result } = await (
    await sendAs(stage.url, { token, body: rpc("message/send", { message }) })
  ).json();

  expect((await sendAs(`${stage.url}v1/tasks/${result.id}`)).status).toBe(404);
  expect((await sendAs(`${stage.url}v1/tasks/${result.id}`, { token })).status).toBe(200);
});
