import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { MAX_VALUE_DEPTH } from "@dt/schema";
import { expect, test } from "vitest";
import { DEFAULT_RESTART_SCHEDULE, openMcpManager } from "./mcp-manager.js";
import { openMcpStage, outputText } from "./open-mcp-stage.test-support.js";
import { faultyServer } from "./real-servers.test-support.js";

const noSleep = async () => {};

test("a call to a server that crashes fails with the server's last output, without secrets [SEC-05]", async () => {
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer("serve", { env: { API_TOKEN: "s3cret-value" } }) },
    sleep: noSleep,
  });

  const call = stage.run("die");

  await expect(call).rejects.toMatchObject({
    type: "mcp_server_unavailable",
    message: expect.stringMatching(
      /the MCP server faulty ended with exit code 3.*lost my mind, token \[redacted\]/s,
    ),
  });
});

test("a server that crashes is started again, and its tools work", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() }, sleep: noSleep });
  const before = outputText(await stage.run("echo_pid"));

  await stage.run("die").catch(() => {});
  await stage.until(() => stage.report("faulty").status !== "connected");
  await stage.until(() => stage.report("faulty").status === "connected");

  expect(outputText(await stage.run("echo_pid"))).not.toBe(before);
});

test("a call to a crashed server fails with the exit code until the server is connected again", async () => {
  let restart = () => {};
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer() },
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        restart = resolve;
        signal.addEventListener("abort", () => resolve());
      }),
  });
  await stage.run("die").catch(() => {});
  await stage.until(() => stage.report("faulty").status === "disconnected");

  const call = stage.run("echo_pid");

  await expect(call).rejects.toMatchObject({
    type: "mcp_server_unavailable",
    message: expect.stringContaining("the MCP server faulty ended with exit code 3"),
  });
  restart();
  await stage.until(() => stage.report("faulty").status === "connected");
});

test("a server that keeps crashing is restarted after longer and longer waits, then given up", async () => {
  const waits: number[] = [];
  await using stage = await openMcpStage({
    servers: { dead: faultyServer("die-at-start", { env: { DATABASE: "postgres://pw@db" } }) },
    sleep: async (ms) => void waits.push(ms),
    random: () => 1,
    schedule: { ...DEFAULT_RESTART_SCHEDULE, maxAttempts: 4 },
  });
  await stage.until(() => stage.report("dead").status === "failed");

  expect(waits).toEqual([1_000, 2_000, 4_000]);
  expect(stage.report("dead")).toEqual({
    name: "dead",
    status: "failed",
    error:
      "the MCP server dead did not complete the handshake: ended with exit code 7; its last output: no database at [redacted]; given up after 4 attempts",
    tools: [],
  });
});

test("a server that was connected for a while gets all attempts again after a crash", async () => {
  let time = 0;
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer() },
    sleep: noSleep,
    elapsedMs: () => time,
    schedule: { ...DEFAULT_RESTART_SCHEDULE, maxAttempts: 2 },
  });
  for (const _death of [1, 2, 3]) {
    time += 3_600_000;
    await stage.run("die").catch(() => {});
    await stage.until(() => stage.report("faulty").status !== "connected");
    await stage.until(() => stage.report("faulty").status === "connected");
  }

  await stage.run("die").catch(() => {});
  await stage.until(() => stage.report("faulty").status === "failed");

  expect(stage.report("faulty").error).toContain("given up after 2 attempts");
});

test("a server that was given up can be restarted", async () => {
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer() },
    schedule: { ...DEFAULT_RESTART_SCHEDULE, maxAttempts: 1 },
  });
  await stage.run("die").catch(() => {});
  await stage.until(() => stage.report("faulty").status === "failed");

  stage.restart("faulty");
  await stage.until(() => stage.report("faulty").status === "connected");

  expect(outputText(await stage.run("echo_pid"))).toMatch(/^\d+$/);
});

test("a server that crashes does not affect another server", async () => {
  await using stage = await openMcpStage({
    servers: { dying: faultyServer(), sound: faultyServer() },
  });

  await stage.run("dying__die").catch(() => {});

  expect(outputText(await stage.run("sound__echo_pid"))).toMatch(/^\d+$/);
});

test("a program that does not exist is not retried", async () => {
  await using stage = await openMcpStage({ servers: { none: { command: "no-such-program-dt" } } });

  expect(stage.report("none")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("no-such-program-dt or the directory does not exist"),
  });
});

test.for([
  ["answer_nonsense", "mcp_bad_answer", "something that is not a tool result"],
  ["answer_no_rpc", "mcp_tool_error", "the answer is not a valid JSON-RPC response"],
  ["fail", "mcp_tool_error", "the moon is full"],
] as const)(
  "an invalid answer or an error fails the call of %s, and the server stays connected",
  async ([tool, type, message]) => {
    await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });

    const call = stage.run(tool);

    await expect(call).rejects.toMatchObject({ type, message: expect.stringContaining(message) });
    expect(stage.report("faulty").status).toBe("connected");
  },
);

test("content that is nested too deep is removed from an answer", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });

  const output = await stage.run("answer_deep");

  expect(outputText(output)).toBe(
    `shallow\n[content nested deeper than ${MAX_VALUE_DEPTH} levels, not shown]`,
  );
});

test.each([
  ["answer_brackets", "the server sent an answer nested deeper than 10000 levels"],
  ["answer_much", "the server sent an answer of more than 33554432 bytes"],
  ["answer_many", "the server sent an answer of more than 100000 values"],
])("an answer that exceeds a limit fails only the call of %s [SEC-09]", async (tool, message) => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });
  const pid = outputText(await stage.run("echo_pid"));

  const call = stage.run(tool);

  await expect(call).rejects.toMatchObject({ type: "mcp_tool_error", message });
  expect(outputText(await stage.run("echo_pid"))).toBe(pid);
});

test("the messages of a server are understood despite other output between them", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer("log-on-stdout") } });

  const output = await stage.run("write_garbage");

  expect(outputText(output)).toBe("after the garbage");
});

test("a server is stopped if it writes a line that never ends", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() }, sleep: noSleep });

  const call = stage.run("endless_line");

  await expect(call).rejects.toMatchObject({
    type: "mcp_server_unavailable",
    message: expect.stringContaining("it wrote a line of more than"),
  });
});

test("a call to a slow server fails after the timeout of the server's settings", async () => {
  await using stage = await openMcpStage({
    servers: { faulty: faultyServer("log-on-stdout", { timeoutMs: 2_000 }) },
  });

  const call = stage.run("never_answer");

  await expect(call).rejects.toMatchObject({
    type: "mcp_timeout",
    message:
      "the MCP server faulty sent nothing for 2000 ms while it ran never_answer; its output is not MCP: starting up, this is no MCP",
  });
});

test("a slow server is notified of a cancelled call, and stays connected", async () => {
  await using stage = await openMcpStage({ servers: { faulty: faultyServer() } });
  const cancel = new AbortController();

  const call = stage.run(
    "never_answer",
    {},
    { signal: cancel.signal, print: () => cancel.abort() },
  );

  await expect(call).rejects.toThrow();
  expect(outputText(await stage.run("was_cancelled"))).toBe("true");
});

test("closing the manager ends a server's program and all processes that the program started", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const env = { CHILD_PORT: String(port) };
  const stage = await openMcpStage({ servers: { faulty: faultyServer("serve", { env }) } });
  const connected = once(listener, "connection");
  await stage.run("start_child");
  const [child] = (await connected) as [Socket];
  const childEnded = once(child.on("error", () => {}).resume(), "close");

  await stage.close();

  await childEnded;
  listener.close();
});

test("closing the manager ends a waiting call and reports no further change", async () => {
  let changes = 0;
  const stage = await openMcpStage({
    servers: { faulty: faultyServer() },
    onChange: () => {
      changes += 1;
    },
  });
  const call = stage.run("never_answer");
  const failed = expect(call).rejects.toMatchObject({ type: "mcp_server_unavailable" });
  const before = changes;

  await stage.close();

  await failed;
  expect(changes).toBe(before);
});

test("closing the manager ends a server that is still starting", async () => {
  const manager = openMcpManager({
    servers: { faulty: faultyServer() },
    environment: {},
    directory: tmpdir(),
  });

  await manager.close();
  await manager.firstAttempts;

  expect(manager.status()).toMatchObject([{ name: "faulty", status: "disconnected", tools: [] }]);
});
