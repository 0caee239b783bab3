import { expect, test } from "vitest";
import { openMemoryStore } from "../../store/memory/open-memory-store.js";
import { issueToken } from "./issue-token.js";
import { decodeToken, digestSecret } from "./token-format.js";

const now = new Date("2026-01-01T00:00:00.000Z");
const wanted = { user: "ada", name: "laptop", role: "approve", now } as const;

test("a token is stored by its digest, with its tier and the time at which it ends [SEC-02]", async () => {
  const store = openMemoryStore();

  const plain = await issueToken(store, wanted);
  await issueToken(store, { ...wanted, name: "phone", tier: "gold", lifetimeMs: 1_000 });

  const { id = "", secret = "" } = decodeToken(plain) ?? {};
  const about = { user: "ada", role: "approve", createdAt: "2026-01-01T00:00:00.000Z" };
  expect(await store.listTokens()).toEqual([
    { ...about, name: "laptop", id, digest: digestSecret(secret) },
    {
      ...about,
      name: "phone",
      tier: "gold",
      id: expect.any(String),
      digest: expect.any(String),
      expiresAt: "2026-01-01T00:00:01.000Z",
    },
  ]);
});

test("a second valid token with the same user and name is refused, and the error says what to do", async () => {
  const store = openMemoryStore();
  await issueToken(store, wanted);

  await expect(issueToken(store, wanted)).rejects.toThrow(
    "ada has a token named laptop; revoke ada/laptop first",
  );
  await issueToken(store, { ...wanted, user: "bob" });
});

test.each(["ada.l_o-v@e+x", "Zoë", "1", "x".repeat(64)])("%s can be a user", async (user) => {
  expect(await issueToken(openMemoryStore(), { ...wanted, user })).toMatch(/^dt_/);
});

test.each([
  [{ user: "" }, "user: expected up to 64 letters"],
  [{ user: "a/b" }, "user: expected up to 64 letters"],
  [{ user: "jwt:x" }, "user: expected up to 64 letters"],
  [{ user: "-ada" }, "user: expected up to 64 letters"],
  [{ user: "x".repeat(65) }, "user: expected up to 64 letters"],
  [{ name: "my phone" }, "name: expected up to 64 letters"],
  [{ tier: "a b" }, "tier: expected up to 64 letters"],
  [{ user: "terminal" }, "user: terminal is reserved; choose another one"],
  [{ role: "owner" as "admin" }, "role: expected one of observe, prompt, approve, admin"],
])("a token with %j is refused", async (change, message) => {
  const store = openMemoryStore();

  await expect(issueToken(store, { ...wanted, ...change })).rejects.toThrow(message);

  expect(await store.listTokens()).toEqual([]);
});
