import { ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { createConnectionMonitor } from "../connection-monitor.js";
import { createAttempts } from "./attempts.js";

const broken = new TransportError("unreachable", "nobody there");

function openAttempts(maxAttempts: number, baseMs = 1) {
  const monitor = createConnectionMonitor();
  const seen: string[] = [];
  monitor.onChange(({ status }) => seen.push(status));
  const closing = new AbortController();
  const schedule = { baseMs, maxMs: baseMs, maxAttempts };
  const attempts = createAttempts({ schedule, closing: closing.signal, monitor });
  return { attempts, monitor, seen };
}

test("a client that has given up says that it is disconnected, and connected once it gets through", async () => {
  const { attempts, seen } = openAttempts(2);

  await expect(attempts.run(async () => Promise.reject(broken))).rejects.toBe(broken);
  await attempts.run(async () => "there again");

  expect(seen).toEqual(["reconnecting", "disconnected", "connected"]);
});

test("an agent that refuses was reached", async () => {
  const { attempts, seen } = openAttempts(9);
  const refusal = new ProtocolError("task-not-found", "no");
  const answers = [broken, refusal];

  await expect(attempts.run(async () => Promise.reject(answers.shift()))).rejects.toBe(refusal);

  expect(seen).toEqual(["reconnecting", "connected"]);
});

test("whoever stops waiting for the next try leaves nobody who tries", async () => {
  const { attempts, monitor } = openAttempts(9, 60_000);
  const leaving = new AbortController();
  const running = attempts.run(async () => Promise.reject(broken), leaving.signal);
  monitor.onChange(() => leaving.abort());

  await expect(running).rejects.toThrow();

  expect(monitor.state).toEqual({ status: "disconnected", reason: broken });
});
