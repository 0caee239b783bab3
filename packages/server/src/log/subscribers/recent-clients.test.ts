import { expect, test } from "vitest";
import { createRecentClients } from "./recent-clients.js";

const ide = { user: "local", name: "IDE" };
const nameless = { user: "local", name: "local" };

test("a named client is counted once, and a nameless client only while it subscribes", () => {
  let now = 0;
  const clients = createRecentClients(() => now);

  expect(clients.count([])).toBe(0);
  clients.note(ide);
  clients.note(nameless);
  expect(clients.count([])).toBe(1);
  expect(clients.count([ide, ide])).toBe(1);
  expect(clients.count([ide, nameless, nameless, undefined])).toBe(4);
  now = 5_999;
  expect(clients.count([])).toBe(1);
  now = 6_000;
  expect(clients.count([])).toBe(0);
  expect(clients.count([ide])).toBe(1);
});

test("a client that sends another request stays counted for six more seconds", () => {
  let now = 0;
  const clients = createRecentClients(() => now);
  clients.note(ide);
  clients.note({ user: "local", name: "phone" });
  clients.note({ user: "ada", name: "IDE" });
  clients.note({ user: "local", name: "" });

  expect(clients.count([])).toBe(3);
  now = 5_000;
  clients.note(ide);
  now = 6_000;

  expect(clients.count([])).toBe(1);
  expect(clients.count([{ user: "ada", name: "IDE" }])).toBe(2);
});

test("only the last thousand clients are remembered", () => {
  const clients = createRecentClients(() => 0);

  for (let count = 0; count < 1_000; count += 1) clients.note({ user: "u", name: `${count}` });
  expect(clients.count([])).toBe(1_000);
  clients.note(ide);

  expect(clients.count([])).toBe(1_000);
  expect(clients.count([ide])).toBe(1_000);
  expect(clients.count([{ user: "u", name: "0" }])).toBe(1_001);
});

test("a list has each client once: those that sent a request lately, and subscribers", () => {
  let now = 0;
  const clients = createRecentClients(() => now);
  const phone = { user: "local", name: "phone" };
  clients.note(ide);

  expect(clients.list([phone, undefined, phone, { ...ide }])).toEqual([ide, phone]);
  now = 6_000;
  expect(clients.list([phone])).toEqual([phone]);
});
