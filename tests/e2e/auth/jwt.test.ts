import { UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import { AUDIENCE, openProvider } from "./open-provider.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const message = {
  kind: "message",
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "hi" }],
};

test("a subject of an identity provider and a dt user of the same name are different users [SRV-18]", async () => {
  await using provider = await openProvider();
  await using stage = await openTokenStage({ server: { jwt: provider.options } });
  const token = await provider.sign({ email: "ada@example.com" });
  const own = await stage.token("ada");

  const { result } = await (
    await sendAs(stage.url, { token, body: rpc("message/send", { message }) })
  ).json();
  const card = await (await sendAs(`${stage.url}v1/extendedAgentCard`, { token })).json();

  expect((await sendAs(`${stage.url}v1/tasks/${result.id}`, { token })).status).toBe(200);
  expect((await sendAs(`${stage.url}v1/tasks/${result.id}`, { token: own })).status).toBe(404);
  expect(card.capabilities.extensions[1].params.caller).toEqual({
    user: `jwt:${provider.issuer}#ada`,
    name: "ada@example.com",
    role: "admin",
  });
});

test("a token with a wrong issuer, audience, key or time is refused, and so is an unsigned token", async () => {
  await using provider = await openProvider();
  await using other = await openProvider();
  await using stage = await openTokenStage({ server: { jwt: provider.options } });
  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1_000) - 60 * minutes;
  const unsigned = new UnsecuredJWT({ dt_role: "admin" })
    .setIssuer(provider.issuer)
    .setAudience(AUDIENCE)
    .setSubject("ada")
    .setExpirationTime("5m")
    .encode();
  const wrong = {
    "alg none": unsigned,
    "another issuer": await provider.sign({ iss: "https://evil.example" }),
    "another audience": await provider.sign({ aud: "other" }),
    "another key": await other.sign({ iss: provider.issuer }),
    expired: await provider.sign({}, minutesAgo(5)),
    "not yet valid": await provider.sign({ nbf: minutesAgo(-5) }),
    "no token": "x.y.z",
  };

  const statuses = await Promise.all(
    Object.entries(wrong).map(async ([name, token]) => [
      name,
      (await sendAs(`${stage.url}v1/tasks`, { token })).status,
    ]),
  );

  expect(Object.fromEntries(statuses)).toEqual(
    Object.fromEntries(Object.keys(wrong).map((name) => [name, 401])),
  );
  expect(stage.faults).toEqual([]);
});

test("the configured claim decides the role, and a user whose claim maps to no role gets 403", async () => {
  await using provider = await openProvider();
  const jwt = {
    ...provider.options,
    roleClaim: "groups",
    roles: { staff: "observe", leads: "admin" },
  } as const;
  await using stage = await openTokenStage({ server: { jwt } });
  const body = rpc("message/send", { message });
  const statusOf = async (groups: unknown) =>
    (await sendAs(stage.url, { token: await provider.sign({ groups }), body })).status;

  expect(await statusOf(["staff", "leads"])).toBe(200);
  expect(await statusOf("staff")).toBe(403);
  expect(await statusOf(["guests"])).toBe(403);
});

test("a new key of the provider is used without a restart of the server", async () => {
  await using provider = await openProvider();
  await using stage = await openTokenStage({ server: { jwt: provider.options } });
  const before = await sendAs(`${stage.url}v1/tasks`, { token: await provider.sign() });

  await provider.rotate("two");
  const token = await provider.sign();

  const statusOf = async () => (await sendAs(`${stage.url}v1/tasks`, { token })).status;
  await expect.poll(statusOf, { timeout: 60_000 }).toBe(200);
  expect(before.status).toBe(200);
  expect(provider.fetches()).toBe(2);
});

test("if the header of a proxy is configured, a token is accepted in that header only", async () => {
  await using provider = await openProvider();
  const jwt = { ...provider.options, header: "X-Proxy-JWT" };
  await using stage = await openTokenStage({ server: { jwt } });
  const token = await provider.sign();

  const viaProxy = await sendAs(`${stage.url}v1/tasks`, { headers: { "X-Proxy-JWT": token } });
  const direct = await sendAs(`${stage.url}v1/tasks`, { token });

  expect([viaProxy.status, direct.status]).toEqual([200, 401]);
});

test("while the provider cannot be reached, a token is refused with 503, not with 401", async () => {
  const provider = await openProvider();
  await using stage = await openTokenStage({ server: { jwt: provider.options } });
  const token = await provider.sign();
  await provider[Symbol.asyncDispose]();

  const response = await sendAs(`${stage.url}v1/tasks`, { token });

  expect(response.status).toBe(503);
});

test("with JWTs configured, a process of this machine without a token is the local user", async () => {
  await using provider = await openProvider();
  await using stage = await openTokenStage({
    server: { jwt: provider.options, isAuthRequired: false },
  });

  expect((await sendAs(`${stage.url}v1/tasks`)).status).toBe(200);
});
