import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { SESSION_URI } from "@dt/schema";
import type { PushOptions } from "@dt/server";
import { createScriptedAgent } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { openPushReceiver } from "./support/push-receiver.js";
import { post } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

// These tests try to make the server call private addresses.

/** Opens a local server that counts its connections. The tests expect none. */
async function openCanary() {
  let requests = 0;
  const server = createServer((socket) => {
    requests += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

function openPushStage(push: PushOptions = {}) {
  return openStage({
    server: {
      openAgent: createScriptedAgent(),
      push: { timeoutMs: 60_000, retry: { baseMs: 1, maxMs: 2, maxFailures: 3 }, ...push },
    },
  });
}

type Stage = Awaited<ReturnType<typeof openPushStage>>;

async function startTask({ url }: Stage): Promise<string> {
  const message = { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text: "hello" }] };
  const { result } = await jsonOf(await post(url, "SendMessage", { message }));
  return result.task.id;
}

/** Sets a push config of a new task. Returns the error, or the config's state after the server gave up. */
async function pushTo(stage: Stage, target: string) {
  const taskId = await startTask(stage);
  const headers = { "A2A-Extensions": SESSION_URI };
  const config = { taskId, id: "c", url: target };
  const set = await jsonOf(
    await post(stage.url, "CreateTaskPushNotificationConfig", config, headers),
  );
  if (set.error !== undefined) return { error: set.error };
  for (;;) {
    const params = { taskId, id: "c" };
    const shown = await jsonOf(
      await post(stage.url, "GetTaskPushNotificationConfig", params, headers),
    );
    const info = shown.result.metadata[SESSION_URI];
    if (info.state === "GAVE_UP") return { info, text: JSON.stringify(shown) };
  }
}

test.each([
  ["its IP address", (port: number) => `http://127.0.0.1:${port}/`],
  ["localhost", (port: number) => `http://localhost:${port}/`],
  ["localhost with a final dot", (port: number) => `http://localhost.:${port}/`],
  ["a subdomain of localhost", (port: number) => `http://hook.localhost:${port}/`],
  ["a decimal IP address", (port: number) => `http://2130706433:${port}/`],
  ["an octal IP address", (port: number) => `http://0177.0.0.1:${port}/`],
  ["a hexadecimal IP address", (port: number) => `http://0x7f000001:${port}/`],
  ["a shortened IP address", (port: number) => `http://127.1:${port}/`],
  ["the address zero", (port: number) => `http://0:${port}/`],
  [
    "an IP address in full-width digits",
    (port: number) => `http://\uff11\uff12\uff17.0.0.1:${port}/`,
  ],
  ["its IPv6 address", (port: number) => `http://[::1]:${port}/`],
  ["an IPv4-mapped IPv6 address", (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
  [
    "an IPv4-mapped IPv6 address in hexadecimal",
    (port: number) => `http://[::ffff:7f00:1]:${port}/`,
  ],
  ["an IPv4-compatible IPv6 address", (port: number) => `http://[::127.0.0.1]:${port}/`],
  ["a NAT64 address", (port: number) => `http://[64:ff9b::7f00:1]:${port}/`],
  ["a 6to4 address", (port: number) => `http://[2002:7f00:1::]:${port}/`],
  ["its IP address over TLS", (port: number) => `https://127.0.0.1:${port}/`],
])("a push URL that reaches this machine by %s is refused [RFC-03]", async (_, targetOf) => {
  await using canary = await openCanary();
  await using stage = await openPushStage();

  const { error } = await pushTo(stage, targetOf(canary.port));

  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^url: .* private/) });
  expect(canary.requests()).toBe(0);
});

test.each([
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://100.100.100.200/latest/meta-data/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.0.1/",
  "http://100.64.0.1/",
  "http://[fe80::1]/",
  "http://[fc00::1]/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://0.0.0.0/",
])("a push config with the private URL %s is refused", async (target) => {
  await using stage = await openPushStage();

  const { error } = await pushTo(stage, target);

  expect(error.message).toMatch(/^url: .* is on this machine or a private network/);
});

test.each([
  ["this machine", "127.0.0.1"],
  ["a private network", "10.0.0.1"],
  ["a cloud's metadata address", "169.254.169.254"],
  ["the IPv6 address of this machine", "::1"],
  ["an IPv4-mapped IPv6 address", "::ffff:127.0.0.1"],
])(
  "a push to a name that resolves to %s is not sent, and the error hides the address",
  async (_, address) => {
    await using canary = await openCanary();
    await using stage = await openPushStage({
      resolveName: async () => [{ address, family: address.includes(":") ? 6 : 4 }],
    });

    const { info, text } = await pushTo(stage, `http://inner.example:${canary.port}/`);

    expect(info).toMatchObject({
      failures: 3,
      last_error: "the receiver's address is not allowed",
    });
    expect(text).not.toContain(address);
    expect(canary.requests()).toBe(0);
  },
);

test("a push to a name with a private and a public address is not sent", async () => {
  await using canary = await openCanary();
  await using stage = await openPushStage({
    resolveName: async () => [
      { address: "127.0.0.1", family: 4 },
      { address: "93.184.216.34", family: 4 },
    ],
  });

  const { info } = await pushTo(stage, `http://mixed.example:${canary.port}/`);

  expect(info.last_error).toBe("the receiver's address is not allowed");
  expect(canary.requests()).toBe(0);
});

test("a push does not follow a redirect to this machine", async () => {
  await using canary = await openCanary();
  await using receiver = await openPushReceiver();
  const to = `http://localhost:${canary.port}/`;
  receiver.answerWith(`302 ${to}`, `307 ${to}`, `308 ${to}`);
  await using stage = await openPushStage({
    // The list allows only the receiver's name, so localhost, the target of the redirects, stays forbidden.
    allowList: ["hooks.example"],
    resolveName: async () => [{ address: "127.0.0.1", family: 4 }],
  });

  const { info } = await pushTo(stage, `http://hooks.example:${receiver.port}/`);

  expect(info.last_error).toBe("the receiver answered 308; redirects are not followed");
  expect(receiver.received).toHaveLength(3);
  expect(canary.requests()).toBe(0);
});

test("a push is not sent if the name later resolves to an address that is not allowed", async () => {
  await using receiver = await openPushReceiver();
  receiver.answerWith("close");
  const answers = ["127.0.0.1", "127.0.0.2"];
  await using stage = await openPushStage({
    allowList: ["127.0.0.1"],
    resolveName: async () => [{ address: answers.shift() ?? "127.0.0.2", family: 4 }],
  });
  const taskId = await startTask(stage);
  const headers = { "A2A-Extensions": SESSION_URI };
  const config = { taskId, id: "c", url: `http://rebind.example:${receiver.port}/` };
  await post(stage.url, "CreateTaskPushNotificationConfig", config, headers);
  await receiver.until(() => receiver.received.length === 1);
  const { result } = await jsonOf(await post(stage.url, "GetTask", { id: taskId }));

  // The config of a second task has the same URL, but the name now resolves to 127.0.0.2.
  const { info } = await pushTo(stage, `http://rebind.example:${receiver.port}/`);

  expect(result.id).toBe(taskId);
  expect(info.last_error).toBe("the receiver's address is not allowed");
  expect(receiver.received).toHaveLength(1);
});

test("a private receiver is called if the operator allows its address, range or name", async () => {
  await using receiver = await openPushReceiver();
  const resolveName = async () => [{ address: "127.0.0.1", family: 4 as const }];
  for (const allowed of ["127.0.0.1", "127.0.0.0/8", "hooks.internal"]) {
    await using stage = await openPushStage({ allowList: [allowed], resolveName });
    const before = receiver.received.length;
    const taskId = await startTask(stage);

    const config = { taskId, url: `http://hooks.internal:${receiver.port}/` };
    await post(stage.url, "CreateTaskPushNotificationConfig", config);
    await receiver.until(() => receiver.received.length === before + 1);

    expect(receiver.received.at(-1)?.json.task.id).toBe(taskId);
  }
});

test.each([
  ["file:///etc/passwd", "url: expected an absolute http or https URL"],
  ["gopher://127.0.0.1/", "url: expected an absolute http or https URL"],
  ["http://me:secret@8.8.8.8/", "url: must not contain a user name or password"],
  ["//8.8.8.8/", "url: expected an absolute http or https URL"],
])("a push config with the URL %s is refused", async (target, reason) => {
  await using stage = await openPushStage();

  const { error } = await pushTo(stage, target);

  expect(error.message).toContain(reason);
});
