import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, expect, test } from "vitest";
import { MAX_TEXT_BYTES } from "./create-tools-server.js";
import type { EditorContext, OpenDocument, Problem } from "./editor-context.js";
import { openToolsServer } from "./open-tools-server.js";

let document: OpenDocument | undefined;
let problems: readonly Problem[] = [];
const context: EditorContext = { activeDocument: () => document, problems: () => problems };
const server = await openToolsServer(context);
const { address, named } = server;
const client = new Client({ name: "test", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(named.url ?? ""), {
  requestInit: { headers: named.headers },
});
// The SDK's type of a transport does not allow for exact optional properties.
await client.connect(transport as Parameters<typeof client.connect>[0]);
afterAll(async () => {
  await client.close();
  server.close();
});

function open(text: string): void {
  const selection = { firstLine: 1, lastLine: 1, text };
  document = { filePath: "/a.ts", language: "ts", isUnsaved: true, text: () => text, selection };
}

async function call(name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [{ text }] = content as [{ text: string }];
  return isError === true ? text : JSON.parse(text);
}

/** Sends a request with Node's client, because `fetch` chooses some headers itself. */
function statusOf({
  path = "/mcp",
  method = "POST",
  body = "{}",
  ...headers
}: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const given = { ...named.headers, "content-length": String(body.length), ...headers };
    const target = { host: "127.0.0.1", port: address.port, path, method, headers: given };
    const sent = request(target, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("all tools are declared read-only", async () => {
  const { tools } = await client.listTools();

  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["get_active_editor", true],
    ["get_selection", true],
    ["get_diagnostics", true],
  ]);
});

test("a text above the size limit is read in parts, by lines", async () => {
  const line = `${"é".repeat(999)}\n`;
  open(line.repeat(40));

  const first = await call("get_active_editor");
  const second = await call("get_active_editor", { firstLine: 33 });
  const none = await call("get_active_editor", { firstLine: 50 });

  expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  expect(first).toMatchObject({ isTruncated: true, firstLine: 1 });
  expect(second).toMatchObject({ isTruncated: false, text: line.repeat(8) });
  expect(none.text).toBe("");
  expect((await call("get_selection")).isTruncated).toBe(true);
});

test("the tools report that no file is open", async () => {
  document = undefined;

  expect(await call("get_active_editor")).toBe("no file is open in the editor");
  expect(await call("get_selection")).toBe("no file is open in the editor");
});

test("the number and the length of problems are limited", async () => {
  const problem: Problem = {
    filePath: "/a.ts",
    line: 1,
    severity: "error",
    message: "x".repeat(5_000),
  };
  problems = Array.from({ length: 500 }, () => problem);

  const found = await call("get_diagnostics");

  expect(found.isTruncated).toBe(true);
  expect(found.problems).toHaveLength(100);
  expect(found.problems[0].message).toHaveLength(1_000);
});

test.each([
  [{ authorization: "Bearer wrong" }, 401],
  [{ authorization: "" }, 401],
  [{ host: "evil.example" }, 403],
  [{ host: "localhost:1" }, 403],
  [{ origin: "null" }, 403],
  [{ origin: "http://127.0.0.1" }, 403],
  [{ path: "/other" }, 404],
  [{ method: "GET" }, 405],
  [{ "content-length": "100001" }, 413],
  [{ body: "not json" }, 406],
])("a request with %j is refused with %i", async (headers, status) => {
  expect(await statusOf(headers as Record<string, string>)).toBe(status);
});

test("the server uses its earlier address again, or another port and token if the port is taken", async () => {
  const first = await openToolsServer(context);
  const taken = await openToolsServer(context, first.address);
  first.close();
  const again = await openToolsServer(context, first.address);
  for (const each of [taken, again]) each.close();

  expect(again.address).toEqual(first.address);
  expect(taken.address.port).not.toBe(first.address.port);
  expect(taken.address.token).not.toBe(first.address.token);
});
