import { expect, test } from "vitest";
import { deriveSecretKeys } from "./secret-keys.js";
import { createSecretVault } from "./secret-vault.js";

const OLD = "an old key of at least 32 characters";
const NEW = "a new key of at least 32 characters!";

const vaultOf = (key: string, previousKey?: string) =>
  createSecretVault(deriveSecretKeys({ key, previousKey }));

test("a sealed text does not contain its secret, and another process with the key opens it [SEC-05]", () => {
  const sealed = vaultOf(OLD).seal("hunter2", "session:a");

  expect(sealed).not.toContain("hunter2");
  expect(Buffer.from(sealed.split(".")[2] ?? "", "base64url").toString()).not.toContain("hunter2");
  expect(vaultOf(OLD).open(sealed, "session:a")).toEqual({ type: "opened", text: "hunter2" });
});

test("the same secret is sealed differently each time", () => {
  const vault = vaultOf(OLD);

  expect(vault.seal("hunter2", "session:a")).not.toBe(vault.seal("hunter2", "session:a"));
});

test("after a change of the key, the previous key still opens secrets, and the new key seals them", () => {
  const sealed = vaultOf(OLD).seal("hunter2", "session:a");
  const changed = vaultOf(NEW, OLD);

  expect(changed.open(sealed, "session:a")).toEqual({ type: "opened", text: "hunter2" });
  expect(vaultOf(NEW).open(changed.seal("x", "session:a"), "session:a")).toEqual({
    type: "opened",
    text: "x",
  });
});

test("a secret that another key encrypted is lost, and the reason names the missing key", () => {
  const sealed = vaultOf(OLD).seal("hunter2", "session:a");
  const [{ id } = { id: "" }] = deriveSecretKeys({ key: OLD });

  const reasons = [vaultOf(NEW), createSecretVault()].map((vault) =>
    vault.open(sealed, "session:a"),
  );

  expect(reasons).toEqual([
    {
      type: "lost",
      reason: `is encrypted with the key ${id}, which this server does not have; set DT_PREVIOUS_SECRET_KEY to that key`,
    },
    {
      type: "lost",
      reason: `is encrypted with the key ${id}; start the server with that DT_SECRET_KEY`,
    },
  ]);
});

test.each([
  ["moved to another session", (sealed: string) => sealed, "session:b"],
  ["changed", (sealed: string) => `${sealed.slice(0, -2)}AA`, "session:a"],
  ["cut off", (sealed: string) => sealed.slice(0, 20), "session:a"],
  ["emptied", (sealed: string) => sealed.split(".").slice(0, 2).join("."), "session:a"],
])("a sealed text that was %s cannot be opened", (_, change, recordKey) => {
  const vault = vaultOf(OLD);

  const opened = vault.open(change(vault.seal("a longer secret", "session:a")), recordKey);

  expect(opened).toEqual({
    type: "lost",
    reason: "cannot be decrypted, because it was changed in the store",
  });
});

test("without a key, a secret stays in memory and is lost with the process", () => {
  const vault = createSecretVault();
  const sealed = vault.seal("hunter2", "session:a");

  expect(sealed).not.toContain("hunter2");
  expect(vault.open(sealed, "session:a")).toEqual({ type: "opened", text: "hunter2" });
  for (const other of [createSecretVault(), vaultOf(OLD)]) {
    expect(other.open(sealed, "session:a")).toMatchObject({
      type: "lost",
      reason: expect.stringMatching(
        /^was kept in memory only and is gone since the server restarted/,
      ),
    });
  }
});

test("in memory, a record has one secret, which can be forgotten", () => {
  const vault = createSecretVault();
  const first = vault.seal("one", "session:a");
  const second = vault.seal("two", "session:a");

  expect(vault.open(first, "session:a").type).toBe("lost");
  vault.forget("session:a");
  expect(vault.open(second, "session:a").type).toBe("lost");
});

test("in memory, the oldest secrets make room for new ones", () => {
  const vault = createSecretVault();
  const large = "x".repeat(12 * 1024 * 1024);
  const sealed = ["a", "b", "c"].map((recordKey) => vault.seal(large, recordKey));

  expect(sealed.map((text, index) => vault.open(text, "abc"[index] ?? "").type)).toEqual([
    "lost",
    "opened",
    "opened",
  ]);
});

test("a key that is too short is refused with the name of its variable", () => {
  expect(() => vaultOf("short")).toThrow("DT_SECRET_KEY: expected at least 32 characters");
  expect(() => vaultOf(NEW, "short")).toThrow("DT_PREVIOUS_SECRET_KEY: expected at least 32");
});

test("a digest depends on the key and does not contain the text", () => {
  const [one, other] = [vaultOf(OLD), vaultOf(NEW)].map((vault) => vault.digest("hunter2"));

  expect(one).toBe(vaultOf(OLD).digest("hunter2"));
  expect(one).not.toBe(other);
});

test("a secret that an earlier release has encrypted is opened with the same key [SEC-05]", () => {
  const sealed = "1.1169a877.k9Nnt9Kr2IK9FiAU8cDh_Lb6gfGF5LLG9SInXrVOSXDiiZY";

  expect(vaultOf(OLD).open(sealed, "session:a")).toEqual({ type: "opened", text: "hunter2" });
  expect(vaultOf(OLD).digest("hunter2")).toBe(
    "cbafc496a59662c1222e0ae5061b74d6756703cb37b2b89b0dbe60ee993b563b",
  );
});

test("secrets that were replaced or forgotten make room for others", () => {
  const vault = createSecretVault();
  const large = "x".repeat(16 * 1024 * 1024);
  const isKept = (sealed: string, recordKey: string) =>
    vault.open(sealed, recordKey).type === "opened";
  const small = vault.seal("small", "small");

  for (let count = 0; count < 4; count += 1) vault.seal(large, "a");
  vault.forget("a");
  vault.forget("never sealed");
  const one = vault.seal(large, "b");
  const other = vault.seal("x".repeat(16 * 1024 * 1024 - 5), "c");
  const before = [isKept(small, "small"), isKept(one, "b"), isKept(other, "c")];
  vault.seal("y", "d");

  expect(before).toEqual([true, true, true]);
  expect([isKept(small, "small"), isKept(one, "b"), isKept(other, "c")]).toEqual([
    false,
    true,
    true,
  ]);
});

test("a key of exactly 32 characters is accepted", () => {
  expect(deriveSecretKeys({ key: "k".repeat(32) })).toHaveLength(1);
  expect(() => deriveSecretKeys({ key: "k".repeat(31) })).toThrow("openssl rand -base64 32");
});
