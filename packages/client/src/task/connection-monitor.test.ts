import { expect, test } from "vitest";
import type { ConnectionState } from "../agent-client.js";
import { createConnectionMonitor } from "./connection-monitor.js";

const broken: ConnectionState = { status: "reconnecting", attempt: 0, retryInMs: 1, reason: "cut" };

test("the state is connected at first, and then the last reported state", () => {
  const monitor = createConnectionMonitor();
  const seen: ConnectionState[] = [];
  monitor.onChange((state) => seen.push(state));

  expect(monitor.state).toEqual({ status: "connected" });
  monitor.report({ status: "connected" });
  monitor.report(broken);
  expect(monitor.state).toBe(broken);
  monitor.report({ ...broken, attempt: 1 });
  monitor.report({ status: "connected" });

  expect(monitor.state).toEqual({ status: "connected" });
  expect(seen).toEqual([broken, { ...broken, attempt: 1 }, { status: "connected" }]);
});

test("a closed connection stays closed", () => {
  const monitor = createConnectionMonitor();

  monitor.report({ status: "closed" });
  monitor.report(broken);

  expect(monitor.state).toEqual({ status: "closed" });
});
