import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { StampedEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { systemClock } from "../clock.js";
import { silentLogger } from "../logging/logger.js";
import { createSecretVault } from "../secrets/secret-vault.js";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { PushRecord } from "../store/push-record.js";
import { commitTo } from "../testing/commit-to.js";
import { openServerPush, type PushOptions, type ServerPushOptions } from "./open-push.js";

const at = "2026-01-01T00:00:00.000Z";
const settings = { workspacePath: "/", allowedTools: [], mcpServers: {} };
const session = { contextId: "c", owner: "alice", settings, createdAt: at };
const event: StampedEvent = { kind: "STATE_CHANGE", taskId: "t", turn: 1, state: "working", at };
const vault = createSecretVault();
const parts = { logger: silentLogger, clock: systemClock, vault, onFault() {} };

/** Opens push for a store with one task, and a receiver whose answer depends on the path. */
async function openStage(options: Omit<ServerPushOptions, "store" | "push"> & PushOptions = {}) {
  const { metrics, limits: _, uris, ...push } = options;
  const received: IncomingHttpHeaders[] = [];
  const receiver = createServer((request, response) => {
    received.push(request.headers);
    if (request.url !== "/silent") response.writeHead(request.url === "/fails" ? 500 : 200).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const store = openMemoryStore();
  const events = [{ position: 1, event }];
  await commitTo(store, [{ contextId: "c", session, events, journal: [], isCritical: false }]);
  const opened = openServerPush(
    {
      store,
      ...(metrics !== undefined && { metrics }),
      ...(uris !== undefined && { uris }),
      push: { allowList: ["127.0.0.1"], ...push },
    },
    parts,
  );
  if (opened === undefined) throw new Error("push is switched off");
  return {
    ...opened,
    received,
    set: (path: string, configId = "config") =>
      opened.configs.set({
        taskId: "t",
        configId,
        contextId: "c",
        target: {
          url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
          version: "1.0",
          developmentTool: true,
          session: true,
          allEvents: false,
        },
      }),
    progress: async (): Promise<PushRecord["progress"] | undefined> =>
      (await store.listPushes("t"))[0]?.progress,
    async [Symbol.asyncDispose]() {
      receiver.close();
      receiver.closeAllConnections();
      await opened.sender.close();
    },
  };
}

test("calls are signed with the secret of the server, and counted [RFC-03]", async () => {
  const calls: string[] = [];
  const metrics = { pushed: ({ outcome }: { outcome: string }) => void calls.push(`m ${outcome}`) };
  await using stage = await openStage({
    secret: "the key of the server",
    metrics,
    onCall: ({ outcome }) => void calls.push(outcome),
  });

  await stage.set("/");
  await expect.poll(() => calls).toEqual(["m delivered", "delivered"]);

  expect(stage.received).toMatchObject([
    { "x-dt-signature": expect.stringMatching(/^t=\d+,v1=[\da-f]{64}$/), "x-dt-attempt": "1" },
  ]);
});

test("failed calls are repeated according to the retry options, each with a timeout", async () => {
  const calls: string[] = [];
  await using stage = await openStage({
    timeoutMs: 50,
    retry: { baseMs: 1, maxMs: 1, maxFailures: 2 },
    onCall: ({ outcome }) => void calls.push(outcome),
  });

  await stage.set("/silent");
  await expect.poll(() => calls).toEqual(["retried", "gaveUp"]);

  expect(stage.received.filter((headers) => "x-dt-signature" in headers)).toEqual([]);
  expect(await stage.progress()).toMatchObject({
    failures: 2,
    hasGivenUp: true,
    lastError: "the receiver did not answer within 50 ms",
  });
});

test("a task may have ten configs by default, or as many as the limit allows", async () => {
  const store = openMemoryStore();
  const limited = async (limits: ServerPushOptions["limits"]) => {
    const push = openServerPush({ store, ...(limits !== undefined && { limits }) }, parts);
    const target = {
      url: "http://example.com/",
      version: "1.0",
      developmentTool: true,
      session: true,
      allEvents: false,
    } as const;
    const count = async (number: number): Promise<number> => {
      const request = { taskId: "none", configId: `${number}`, contextId: "c", target };
      return await push!.configs.set(request).then(
        () => count(number + 1),
        ({ message }: Error) => {
          expect(message).toBe(`the task has ${number} push configs already; delete one first`);
          return number;
        },
      );
    };
    const counted = await count(0);
    await push?.sender.close();
    return counted;
  };

  expect(await limited({ maxPushConfigsPerTask: 2 })).toBe(2);
  expect(await limited(undefined)).toBe(10);
});

test("opening push returns undefined if it is off, and throws for an invalid allow list", () => {
  const store = openMemoryStore();

  expect(openServerPush({ store, push: false }, parts)).toBeUndefined();
  expect(() => openServerPush({ store, push: { allowList: ["a b"] } }, parts)).toThrow(
    "the allow list of pushes (DT_PUSH_ALLOW): expected a host",
  );
});
