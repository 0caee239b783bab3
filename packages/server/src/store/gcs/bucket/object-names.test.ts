import { expect, test } from "vitest";
import { encodeId, sessionFolder, taskFolder } from "./object-names.js";

test("an id is one part of a name, without slashes and spaces", () => {
  expect(encodeId("a b/ü")).toBe("a%20b%2F%C3%BC");
  expect(sessionFolder("a/b")).toBe("sessions/a%2Fb/");
  expect(taskFolder("a/b")).toBe("tasks/a%2Fb/");
});

test("an id of up to 200 bytes is part of a name as it is, and a longer one is replaced with its digest", () => {
  const digest = /^sha256-[0-9a-f]{64}$/;

  expect(encodeId("x".repeat(200))).toBe("x".repeat(200));
  expect(encodeId("x".repeat(201))).toMatch(digest);
  expect(encodeId("/".repeat(67))).toMatch(digest);
  expect(encodeId("x".repeat(201))).not.toBe(encodeId("x".repeat(202)));
});

test("an empty id, and ids with different lone surrogates, have different names", () => {
  const names = ["", "\ud800", "\ud801", "\ufffd"].map(encodeId);

  expect(new Set(names).size).toBe(4);
  expect(names[0]).toMatch(/^sha256-/);
  expect(names[3]).toBe("%EF%BF%BD");
});
