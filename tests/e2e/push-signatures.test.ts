import { randomUUID } from "node:crypto";
import { createScriptedAgent, type TurnScript } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { isSigned, openPushReceiver, type Received } from "./support/push-receiver.js";
import { post } from "./support/raw-rpc.js";
import { jsonOf } from "./ws-client.js";

const brief: TurnScript = async (turn) => {
  await turn.say("done");
};

/** Sends a prompt with a push config. Returns the requests that the receiver got, or the prompt's error. */
async function pushWith(config: object, secret?: string) {
  await using receiver = await openPushReceiver();
  await using stage = await openStage({
    server: {
      openAgent: createScriptedAgent(brief),
      push: { allowList: ["127.0.0.1"], ...(secret !== undefined && { secret }) },
    },
  });
  const message = { role: "ROLE_USER", parts: [{ text: "go" }], messageId: randomUUID() };
  const params = {
    message,
    configuration: { taskPushNotificationConfig: { url: receiver.url, ...config } },
  };
  const { error } = await jsonOf(await post(stage.url, "SendMessage", params));
  if (error !== undefined) return { error: String(error.message), received: [] };
  await receiver.until(() => receiver.received.length > 0);
  return { error: undefined, received: receiver.received };
}

/** Returns true if a header or the URL of a request contains the key that signed the request. */
function hasOwnKey(request: Received): boolean {
  const words = Object.values(request.headers).flatMap((value) => [value, ...value.split(" ")]);
  return [...words, request.url].some((word) => isSigned(request, word));
}

test("if a push config has only a token, a delivery has the token as header and no signature [RFC-03]", async () => {
  const { received } = await pushWith({ token: "a-token" });

  expect(received[0]?.headers["x-a2a-notification-token"]).toBe("a-token");
  expect(received[0]?.headers).not.toHaveProperty("x-dt-signature");
});

test.each([
  ["a token", { token: "a-token" }],
  [
    "a token and Bearer credentials",
    { token: "a-token", authentication: { scheme: "Bearer", credentials: "a-key" } },
  ],
  ["Basic credentials", { authentication: { scheme: "basic", credentials: "dXNlcjpwdw==" } }],
])("a delivery with %s is signed with the secret of the server [RFC-03]", async (_, config) => {
  const { received } = await pushWith(config, "server-secret");

  expect(received.every((request) => isSigned(request, "server-secret"))).toBe(true);
  expect(received.some(hasOwnKey)).toBe(false);
  expect(JSON.stringify(received)).not.toContain("server-secret");
});

test("a delivery with HMAC credentials is signed with them and does not contain them [RFC-03]", async () => {
  const authentication = { scheme: "HMAC", credentials: "signing-secret" };

  const { received } = await pushWith({ token: "a-token", authentication }, "server-secret");

  expect(received.every((request) => isSigned(request, "signing-secret"))).toBe(true);
  expect(received.some(hasOwnKey)).toBe(false);
  expect(JSON.stringify(received)).not.toContain("signing-secret");
});

test.each(["HMAC-SHA256", "hmac_sha1", "Signature", "X-Hub"])(
  "a push config with the unknown scheme %s is refused [RFC-03]",
  async (scheme) => {
    const authentication = { scheme, credentials: "signing-secret" };

    const { error } = await pushWith({ authentication });

    expect(error).toContain("expected the scheme Bearer or Basic, or HMAC to sign");
    expect(error).not.toContain("signing-secret");
  },
);
