import { connect, isTransportError } from "@dt/client";
import { expect, test } from "vitest";
import { rpc, sendAs } from "../auth/token-stage.js";
import { openPairingStage } from "./open-pairing-stage.js";

test("a device exchanges the code for a token with the offered role [TEAM-02]", async () => {
  await using stage = await openPairingStage({ isAuthRequired: true });
  const code = stage.pairing.offer("prompt");

  const response = await stage.join({ code, name: "Ada's phone" });
  const device = await response.json();
  const list = await sendAs(stage.url, { body: rpc("tasks/list", {}), token: device.token });
  const answer = await sendAs(stage.url, {
    token: device.token,
    body: rpc("tasks/pushNotificationConfig/set", {}),
  });

  expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
  expect(device).toMatchObject({ name: "Ada-s-phone", role: "prompt" });
  expect(list.status).toBe(200);
  expect(answer.status).not.toBe(401);
});

test.for<[string, object, Record<string, string>, number]>([
  ["a wrong code", { code: "WRONG-WRONG", name: "x" }, {}, 403],
  ["no code", { name: "x" }, {}, 400],
  ["a code that is no text", { code: 1, name: "x" }, {}, 400],
  ["a long name", { code: "A", name: "x".repeat(201) }, {}, 400],
  ["a large body", { code: "A", name: "x", more: "x".repeat(5_000) }, {}, 413],
  ["another content type", { code: "A", name: "x" }, { "Content-Type": "text/plain" }, 415],
  ["a foreign page", { code: "A", name: "x" }, { Origin: "https://evil.example" }, 403],
])("a request to pair with %s gets %o", async ([, body, headers, status]) => {
  await using stage = await openPairingStage();
  stage.pairing.offer("approve");

  const response = await stage.join(body, headers);

  expect(response.status).toBe(status);
  expect(await stage.store.listTokens()).toEqual([]);
});

test("a code in the URL is ignored", async () => {
  await using stage = await openPairingStage();
  const code = stage.pairing.offer("approve");

  const inQuery = await sendAs(`${stage.url}join?code=${code}`, { body: { name: "x" } });

  expect(inQuery.status).toBe(400);
  expect(await stage.store.listTokens()).toEqual([]);
});

test("the page has a strict content security policy, and can be neither cached nor framed", async () => {
  await using stage = await openPairingStage({ isAuthRequired: true });
  const paths = ["join", "join/page.js", "join/page.css"];

  const responses = await Promise.all(paths.map((path) => fetch(stage.url + path)));

  for (const { status, headers } of responses) {
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Cache-Control")).toBe("no-store");
  }
  const page = await responses[0]?.text();
  expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+=/);
  const sizes = await Promise.all(
    paths.map(async (path) => (await (await fetch(stage.url + path)).arrayBuffer()).byteLength),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

test("only pages of the endpoint's own origin may use the endpoint", async () => {
  await using stage = await openPairingStage();
  const own = new URL(stage.url).origin;
  const { port } = new URL(stage.url);
  const origins = [
    own,
    `https://127.0.0.1:${port}`,
    "http://127.0.0.1:1",
    `http://localhost:${port}`,
  ];

  const statuses = await Promise.all(
    origins.map(async (Origin) => {
      const response = await sendAs(stage.url, {
        body: rpc("tasks/list", {}),
        headers: { Origin },
      });
      return response.status;
    }),
  );

  expect(statuses).toEqual([200, 403, 403, 403]);
});

test("an endpoint with a public address accepts the page of that address", async () => {
  await using stage = await openPairingStage({ publicUrl: "https://dt.example/" });
  const code = stage.pairing.offer("approve");

  const proxied = await stage.join(
    { code, name: "phone" },
    { Origin: "https://dt.example", "X-Forwarded-For": "10.0.0.1" },
  );

  expect(proxied.status).toBe(200);
});

test("an endpoint that pairs no devices has no page", async () => {
  await using stage = await openPairingStage({ join: undefined } as object);

  const responses = await Promise.all([fetch(`${stage.url}join`), stage.join({ code: "A" })]);

  expect(responses.map(({ status }) => status)).toEqual([404, 404]);
});

test.each(["sse", "websocket"] as const)(
  "over %s, a revoked device's stream ends with the reason, and other streams continue [TEAM-02]",
  async (transport) => {
    await using stage = await openPairingStage({ isAuthRequired: true });
    const phone = await stage.pair("phone");
    const tablet = await stage.pair("tablet");
    const { WebSocket } = await import("ws");
    const options = transport === "websocket" ? { transport, WebSocket } : { transport };
    const [lost, kept] = await Promise.all(
      [phone, tablet].map((token) => connect(stage.url, { token, ...options })),
    );
    const ended = new Promise((resolve) => {
      void lost?.openTask(stage.live.taskId).then((task) => {
        task.subscribe(() => {}, { onError: resolve });
        void stage.pairing.revoke("phone");
      });
    });
    const other = await kept?.openTask(stage.live.taskId);

    const reason = await ended;
    await other?.prompt("say still here");
    const texts: string[] = [];
    for await (const event of other?.events() ?? []) {
      if (event.kind === "TEXT_CONTENT") texts.push(event.text);
      if (event.kind === "TEXT_CONTENT") break;
    }

    expect(String(reason)).toContain("the token was revoked");
    expect(isTransportError(reason) ? reason.status : 401).toBe(401);
    expect(texts).toEqual(["still here"]);
    await expect(connect(stage.url, { token: phone })).rejects.toThrow("the token was revoked");
    expect(await stage.pair("phone")).toMatch(/^dt_/);
    lost?.close();
    kept?.close();
  },
);

test("beyond loopback, an endpoint that pairs devices needs no token to start, but its clients need one", async () => {
  await using stage = await openPairingStage({ host: "0.0.0.0" });
  const url = stage.url.replace("0.0.0.0", "127.0.0.1");
  const code = stage.pairing.offer("observe");

  const nobody = await sendAs(url, { body: rpc("tasks/list", {}) });
  const paired = await sendAs(`${url}join`, { body: { code, name: "phone" } });
  const { token } = await paired.json();
  const phone = await sendAs(url, { body: rpc("tasks/list", {}), token });

  expect([nobody.status, paired.status, phone.status]).toEqual([401, 200, 200]);
});

test('an "always" answer of one device does not apply to prompts of another device', async () => {
  await using stage = await openPairingStage();
  const phone = await connect(stage.url, { token: await stage.pair("phone") });
  const tablet = await connect(stage.url, { token: await stage.pair("tablet") });
  const ofPhone = await phone.openTask(stage.live.taskId);
  const ofTablet = await tablet.openTask(stage.live.taskId);

  await ofPhone.prompt("write a.txt: 1 then write b.txt: 2");
  const toolCallId = await stage.question();
  await ofPhone.answer({ toolCallId }, "proceed_always");
  const written = await stage.until(
    (event) =>
      event.kind === "TOOL_CALL_UPDATE" &&
      event.toolCall.status === "SUCCEEDED" &&
      JSON.stringify(event.toolCall.inputParameters).includes("b.txt"),
  );
  await ofTablet.prompt("write c.txt: 3");
  const asked = await stage.question(written.cursor);

  expect(asked).not.toBe(toolCallId);
  phone.close();
  tablet.close();
});
