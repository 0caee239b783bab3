import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJwtAuthentication, type JwtOptions } from "./jwt-authentication.js";

const NOW = Date.parse("2026-01-01T00:00:00.000Z");
const SECOND = NOW / 1_000;

let provider: Awaited<ReturnType<typeof openProvider>>;
beforeAll(async () => {
  provider = await openProvider();
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
});

/** Opens an identity provider with one key, on a real socket. */
async function openProvider() {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const other = await generateKeyPair("ES256");
  const key = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256" };
  const server = createServer((_request, response) => {
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ keys: [key] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const options = {
    jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    issuer: "https://id.example",
    audience: "dt",
  };
  return {
    options,
    /** Signs a token for Ada that is valid for a minute, unless the claims say something else. */
    async sign(claims: JWTPayload = {}, signer = privateKey) {
      const payload = { sub: "ada", iss: options.issuer, aud: "dt", exp: SECOND + 60, ...claims };
      return await new SignJWT({ dt_role: "approve", ...payload })
        .setProtectedHeader({ alg: "ES256", kid: "one" })
        .sign(signer);
    },
    otherKey: other.privateKey,
    authenticate: async (token: string, changed: Partial<JwtOptions> = {}) =>
      await createJwtAuthentication(
        { ...options, ...changed },
        { now: () => new Date(NOW) },
      ).authenticate(token),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("a caller has the subject, role, tier and end of the token [SEC-02]", async () => {
  const token = await provider.sign({ email: "ada@id.example", dt_tier: "gold" });

  expect(await provider.authenticate(token)).toEqual({
    user: "jwt:https://id.example#ada",
    credential: expect.stringMatching(/^jwt:[0-9a-f]{32}$/),
    name: "ada@id.example",
    role: "approve",
    tier: "gold",
    expiresAt: new Date(NOW + 120_000),
  });
});

test.each([
  [{ email: "e", preferred_username: "p", name: "n" }, "e"],
  [{ preferred_username: "p", name: "n" }, "p"],
  [{ name: "n".repeat(100) }, "n".repeat(64)],
  [{ email: 7 }, "ada"],
])("with the claims %j, the name to show is %s", async (claims, name) => {
  const { tier, ...caller } = await provider.authenticate(await provider.sign(claims));

  expect([caller.name, tier]).toEqual([name, undefined]);
});

test("the highest of several roles counts, and the operator may map other values to roles [SEC-10]", async () => {
  const roleOf = async (claims: JWTPayload, changed: Partial<JwtOptions> = {}) =>
    (await provider.authenticate(await provider.sign(claims), changed)).role;
  const roles = { dev: "prompt", ops: "admin" } as const;

  expect(await roleOf({ dt_role: ["observe", "prompt", "other"] })).toBe("prompt");
  expect(await roleOf({ groups: ["dev", "ops"] }, { roleClaim: "groups", roles })).toBe("admin");
  expect(await roleOf({ dt_role: "x" }, { defaultRole: "observe" })).toBe("observe");
  await expect(roleOf({ dt_role: "x" })).rejects.toMatchObject({
    code: "forbidden",
    message: "the claim dt_role of the token has no role of this server",
  });
  await expect(roleOf({ groups: "admin" }, { roleClaim: "groups", roles })).rejects.toMatchObject({
    code: "forbidden",
  });
});

test("a token's tier is read from the claim that the operator names", async () => {
  const token = await provider.sign({ plan: "silver", dt_tier: "gold" });

  expect((await provider.authenticate(token, { tierClaim: "plan" })).tier).toBe("silver");
});

test.each<[string, JWTPayload]>([
  ["another issuer", { iss: "https://evil.example" }],
  ["another audience", { aud: "other" }],
  ["no subject", { sub: undefined as unknown as string }],
  ["no end", { exp: undefined as unknown as number }],
])("a token with %s is refused [SEC-02]", async (_, claims) => {
  await expect(provider.authenticate(await provider.sign(claims))).rejects.toMatchObject({
    code: "unauthenticated",
    message: "the token is not valid; use another one",
  });
});

test("a token is refused only a minute after it has expired, because clocks differ", async () => {
  const authenticate = async (exp: number) =>
    await provider.authenticate(await provider.sign({ exp }));

  expect((await authenticate(SECOND - 59)).user).toContain("ada");
  await expect(authenticate(SECOND - 61)).rejects.toMatchObject({
    code: "unauthenticated",
    message: "the token has expired; use another one",
  });
});

test("a token is refused if it is no JWT, or was signed with another key or algorithm [SEC-02]", async () => {
  const refusal = { code: "unauthenticated", message: "the token is not valid; use another one" };

  await expect(provider.authenticate("x.y.z")).rejects.toMatchObject(refusal);
  const forged = await provider.sign({}, provider.otherKey);
  await expect(provider.authenticate(forged)).rejects.toMatchObject(refusal);
  const token = await provider.sign();
  await expect(provider.authenticate(token, { algorithms: ["RS256"] })).rejects.toMatchObject(
    refusal,
  );
});

test("if the keys cannot be fetched, the request may be tried again later", async () => {
  const token = await provider.sign();

  await expect(
    provider.authenticate(token, { jwksUrl: "http://127.0.0.1:9/keys" }),
  ).rejects.toMatchObject({
    code: "agent-busy",
    message: "the keys of the identity provider cannot be fetched; try again later",
    data: { retryAfterMs: 5_000 },
  });
});

test("findToken() reads the configured header, or by default a bearer token that is not a token of dt", () => {
  const find = (headers: Record<string, string>, header?: string) =>
    createJwtAuthentication(
      { ...provider.options, ...(header !== undefined && { header }) },
      { now: () => new Date(NOW) },
    ).findToken({ headers } as unknown as IncomingMessage);

  expect(find({ authorization: "Bearer abc" })).toBe("abc");
  expect(find({ authorization: "Bearer dt_1" })).toBeUndefined();
  expect(find({})).toBeUndefined();
  expect(find({ "x-assertion": "abc", authorization: "Bearer no" }, "X-Assertion")).toBe("abc");
  expect(find({ authorization: "Bearer no" }, "X-Assertion")).toBeUndefined();
});
