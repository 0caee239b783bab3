import { expect, test } from "vitest";
import { checkGrant } from "./check-grant.js";
import { decodeGuestCredential, encodeGuestCredential } from "./guest-credential.js";
import { decodeLink, encodeLink } from "./link-format.js";

const wanted = { user: "bob", role: "approve", ttlSeconds: 0 };
const granter = { user: "ada", role: "approve" } as const;

test("a grant lasts seven days by default, and from a minute to ninety days on demand [TEAM-01]", () => {
  const lifetimeOf = (ttlSeconds: number) =>
    checkGrant({ ...wanted, ttlSeconds }, granter).lifetimeMs;

  expect(checkGrant(wanted, granter)).toEqual({
    user: "bob",
    role: "approve",
    lifetimeMs: 604_800_000,
  });
  expect([60, 7_776_000].map(lifetimeOf)).toEqual([60_000, 7_776_000_000]);
  for (const seconds of [59, -1, 7_776_001]) {
    expect(() => lifetimeOf(seconds)).toThrow("expected a number from 60 to 7776000");
  }
});

test.each([
  ["observe", "observe"],
  ["approve", "prompt"],
  ["admin", "approve"],
] as const)("a caller with the role %s may give the role %s", (own, role) => {
  expect(checkGrant({ ...wanted, role }, { user: "ada", role: own }).role).toBe(role);
});

test("a caller gives at most their own role, and nobody gives the role admin [TEAM-01]", () => {
  const give = (role: string, own: "observe" | "prompt" | "admin") => () =>
    checkGrant({ ...wanted, role }, { user: "ada", role: own });

  expect(give("approve", "prompt")).toThrow(
    expect.objectContaining({
      code: "forbidden",
      message:
        "the role approve cannot be given by a token with the role prompt; give at most prompt",
    }),
  );
  expect(give("prompt", "observe")).toThrow("give at most observe");
  expect(give("admin", "admin")).toThrow("role: expected one of observe, prompt, approve");
  expect(give("owner", "admin")).toThrow("role: expected one of observe, prompt, approve");
});

test("a grant to its giver, to a long name or to a name with control characters is refused", () => {
  const give = (user: string) => () => checkGrant({ ...wanted, user }, granter);

  expect(give("x".repeat(512))()).toMatchObject({ user: "x".repeat(512) });
  expect(give("")()).toMatchObject({ user: "" });
  expect(give("ada")).toThrow("user: this session is yours already; name another user");
  expect(give("x".repeat(513))).toThrow("user: expected up to 512 characters");
  expect(give("bob\u0007")).toThrow("none of them a control character");
});

test("decoding reverses the encoding of a link and of a guest's credential", () => {
  const parts = { id: "0123456789abcdef", secret: "s".repeat(43) };
  const guest = { key: { contextId: "c", user: 'b"o,b' }, grantId: "g", credential: "token:1" };

  expect(encodeLink(parts)).toBe(`dtl_0123456789abcdef_${"s".repeat(43)}`);
  expect(decodeLink(encodeLink(parts))).toEqual(parts);
  expect(["dtl_0123456789abcdef_short", `dt_${parts.id}_${parts.secret}`].map(decodeLink)).toEqual([
    undefined,
    undefined,
  ]);
  expect(decodeGuestCredential(encodeGuestCredential(guest))).toEqual(guest);
  for (const text of ["token:1", "guest:", "guest:[", "guest:[1,2,3,4]", 'guest:["a","b","c"]']) {
    expect(decodeGuestCredential(text)).toBeUndefined();
  }
});
