import { once } from "node:events";
import { expect, test } from "vitest";
import { openHttpServer, startEverythingOverHttp } from "./http-servers.test-support.js";
import { DEFAULT_RESTART_SCHEDULE } from "./mcp-manager.js";
import { openMcpStage, outputText } from "./open-mcp-stage.test-support.js";

const noSleep = async () => {};

test("a server from npm is used over streamable HTTP [RFC-25]", async () => {
  await using everything = await startEverythingOverHttp();
  await using stage = await openMcpStage({ servers: { all: { url: everything.url } } });
  const printed: string[] = [];

  const output = await stage.run("echo", { message: "over HTTP" });
  await stage.run(
    "trigger-long-running-operation",
    { duration: 0.01, steps: 2 },
    { print: (text) => printed.push(text) },
  );

  expect(stage.report("all").status).toBe("connected");
  expect(outputText(output)).toBe("Echo: over HTTP");
  expect(printed).toEqual(["1/2", "2/2"]);
});

test("a server receives the headers of its settings, and no error shows their values [SEC-05]", async () => {
  await using server = await openHttpServer({ token: "s3cret-token" });
  await using stage = await openMcpStage({
    servers: {
      right: { url: server.url, headers: { authorization: "Bearer s3cret-token" } },
      wrong: { url: server.url, headers: { authorization: "Bearer other-token" } },
    },
  });

  expect(stage.report("right").status).toBe("connected");
  expect(stage.report("wrong")).toMatchObject({
    status: "failed",
    error: "the MCP server wrong could not be reached: it answered with status 401",
  });
});

test("a server with a URL is retried and then given up if it is unreachable", async () => {
  const server = await openHttpServer();
  await server[Symbol.asyncDispose]();
  await using stage = await openMcpStage({
    servers: { gone: { url: server.url } },
    sleep: noSleep,
    schedule: { ...DEFAULT_RESTART_SCHEDULE, maxAttempts: 3 },
  });
  await stage.until(() => stage.report("gone").status === "failed");

  expect(stage.report("gone").error).toMatch(/ECONNREFUSED.*given up after 3 attempts/);
});

test("a call fails if the server stops, and the server is used again after its restart", async () => {
  const first = await openHttpServer();
  await using stage = await openMcpStage({
    servers: { remote: { url: first.url } },
    sleep: noSleep,
    schedule: { ...DEFAULT_RESTART_SCHEDULE, maxAttempts: 1_000 },
  });
  const calling = once(first.events, "call");
  const call = stage.run("never_answer");
  const failed = expect(call).rejects.toMatchObject({
    type: "mcp_server_unavailable",
    message: expect.stringContaining("the MCP server remote could not be reached"),
  });
  await calling;

  await first[Symbol.asyncDispose]();
  await failed;
  await stage.until(() => stage.report("remote").status !== "connected");
  await using _second = await openHttpServer({ port: first.port });
  await stage.until(() => stage.report("remote").status === "connected");

  expect(outputText(await stage.run("hello"))).toBe("hello");
});

test("a server with a URL gets a new handshake if it has lost its MCP session", async () => {
  await using server = await openHttpServer();
  await using stage = await openMcpStage({
    servers: { remote: { url: server.url } },
    sleep: noSleep,
  });

  server.forgetSessions();
  await expect(stage.run("hello")).rejects.toMatchObject({ name: "ToolError" });
  await stage.until(() => stage.report("remote").status !== "connected");
  await stage.until(() => stage.report("remote").status === "connected");

  expect(outputText(await stage.run("hello"))).toBe("hello");
});

test("a call fails if the server answers with a web page", async () => {
  await using server = await openHttpServer();
  await using stage = await openMcpStage({
    servers: { remote: { url: server.url } },
    sleep: noSleep,
  });

  server.answerNext((response) => response.setHeader("content-type", "text/html").end("<html>"));

  await expect(stage.run("hello")).rejects.toMatchObject({
    name: "ToolError",
    message: expect.stringContaining("the MCP server remote"),
  });
});

test.each([
  ["application/json", "", ""],
  ["text/event-stream", "data: ", "\n\n"],
])(
  "a deeply nested answer of the type %s fails only the call that it answers [SEC-09]",
  async (type, begin, end) => {
    await using server = await openHttpServer();
    await using stage = await openMcpStage({ servers: { remote: { url: server.url } } });
    const body = `${begin}{"jsonrpc":"2.0","result":${"[".repeat(8_000_000)}${end}`;

    server.answerNext((response) => response.setHeader("content-type", type).end(body));

    await expect(stage.run("hello")).rejects.toMatchObject({
      type: "mcp_tool_error",
      message: "the server sent an answer nested deeper than 10000 levels",
    });
    expect(stage.report("remote").status).toBe("connected");
    expect(outputText(await stage.run("hello"))).toBe("hello");
  },
);

test("an answer with an event of 9 MB fails only the call that it answers [SEC-09]", async () => {
  await using server = await openHttpServer();
  await using stage = await openMcpStage({ servers: { remote: { url: server.url } } });
  const event = `data: {"jsonrpc":"2.0","result":"${"x".repeat(9_000_000)}"}\n\n`;

  server.answerNext((response) =>
    response.setHeader("content-type", "text/event-stream").end(event),
  );

  await expect(stage.run("hello")).rejects.toMatchObject({
    message: "the server sent an answer of more than 8388608 bytes",
  });
  expect(outputText(await stage.run("hello"))).toBe("hello");
});

test("a call fails if the server answers with broken JSON", async () => {
  await using server = await openHttpServer();
  await using stage = await openMcpStage({
    servers: { remote: { url: server.url } },
    sleep: noSleep,
  });

  server.answerNext((response) =>
    response.setHeader("content-type", "text/event-stream").end("data: {{{\n\n"),
  );

  await expect(stage.run("hello")).rejects.toMatchObject({
    name: "ToolError",
    message: expect.stringContaining("the MCP server remote answered"),
  });
});
