import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { tryTool } from "../testing/try-tool.js";
import { createWebFetch, type WebFetchOptions } from "./web-fetch.js";

/** A web server on 127.0.0.1 that counts connections; these tests treat the address as public. */
async function openSite(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const workspace = await openTempWorkspace();
  const isAllowed = (address: string) => address === "127.0.0.1";
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  return {
    port,
    connections: () => connections,
    async fetch(
      url: string,
      options: WebFetchOptions = {},
      run: { signal?: AbortSignal; max_bytes?: number } = {},
    ) {
      const { signal, ...input } = run;
      const tool = createWebFetch({ isAllowed, lookup, ...options });
      const trial = await tryTool(
        tool,
        { url, ...input },
        { workspace, ...(signal && { signal }) },
      );
      return trial.text;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await workspace[Symbol.asyncDispose]();
    },
  };
}

const answer =
  (
    body: string | Buffer,
    headers: Record<string, string> = { "content-type": "text/plain" },
  ): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(body);

test("the question about a page shows its URL", async () => {
  await using workspace = await openTempWorkspace();

  const plan = await createWebFetch().plan({ url: "https://example.com/a" }, workspace);

  expect(plan).toEqual({
    description: "Fetch https://example.com/a",
    actions: [{ type: "fetch", url: "https://example.com/a" }],
    details: { $case: "genericDetails", value: { description: "Fetch https://example.com/a" } },
  });
});

test("web_fetch returns the visible text of an HTML page, with the URLs of links", async () => {
  const html =
    "<html><head><title>T</title><style>p{}</style><script>evil()</script></head><body><h1>Head</h1><p>Some <a href='/x'>link</a> &amp; more\x1b[31m</p></body></html>";
  await using site = await openSite(answer(html, { "content-type": "text/html; charset=utf-8" }));

  const text = await site.fetch(`http://site.test:${site.port}/`);

  expect(text).toBe(`[http://site.test:${site.port}/]\n\nHead\n\nSome link [/x] & more`);
});

test.each([
  [
    "plain text in another charset than UTF-8",
    Buffer.from("gr\xfcn", "latin1"),
    { "content-type": "text/plain; charset=iso-8859-1" },
    "grün",
  ],
  ["JSON", '{"a":1}', { "content-type": "application/json" }, '{"a":1}'],
  [
    "a compressed response",
    gzipSync("packed"),
    { "content-type": "text/plain", "content-encoding": "gzip" },
    "packed",
  ],
])("%s is returned as text", async (_name, body, headers, text) => {
  await using site = await openSite(answer(body, headers as Record<string, string>));

  expect(await site.fetch(`http://site.test:${site.port}/`)).toMatch(
    new RegExp(`\\n\\n${text.replace(/[{}]/g, "\\$&")}$`),
  );
});

test("a redirect is followed, and the result names its target", async () => {
  await using site = await openSite((request, response) => {
    if (request.url === "/a") response.writeHead(302, { location: "/b" }).end();
    else response.writeHead(200, { "content-type": "text/plain" }).end("there");
  });

  expect(await site.fetch(`http://site.test:${site.port}/a`)).toBe(
    `[http://site.test:${site.port}/b]\n\nthere`,
  );
});

test.each([
  "http://127.0.0.1",
  "http://localhost",
  "http://sub.localhost",
  "http://2130706433",
  "http://0x7f.1",
  "http://[::1]",
  "http://[::ffff:127.0.0.1]",
  "http://169.254.169.254",
])("%s is refused without a question or a connection", async (address) => {
  await using site = await openSite(answer("secret"));
  await using workspace = await openTempWorkspace();

  const url = `${address}:${site.port}/`;
  await expect(createWebFetch().plan({ url }, workspace)).rejects.toMatchObject({
    type: "private_address",
  });
  expect(site.connections()).toBe(0);
});

test("a host name is refused if one of its addresses is private", async () => {
  await using site = await openSite(answer("secret"));
  const lookup = async () => [
    { address: "127.0.0.1", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];

  await expect(site.fetch(`http://site.test:${site.port}/`, { lookup })).rejects.toMatchObject({
    type: "private_address",
    message: "site.test is on this machine or a private network; only public addresses are fetched",
  });
  expect(site.connections()).toBe(0);
});

test("a host name is resolved only once per request", async () => {
  await using site = await openSite(answer("public"));
  const answers = ["127.0.0.1", "10.0.0.1"];
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return [{ address: answers[asked.length - 1]!, family: 4 }];
  };

  const text = await site.fetch(`http://site.test:${site.port}/`, { lookup });

  expect(text).toContain("public");
  expect(asked).toEqual(["site.test"]);
});

test.each([
  ["a private address", "http://127.0.0.2/", "private_address"],
  ["a host name with a private address", "http://inside.test/", "private_address"],
  ["another protocol", "file:///etc/passwd", "invalid_url"],
])("a redirect to %s is refused", async (_name, location, type) => {
  await using site = await openSite((_request, response) =>
    response.writeHead(302, { location }).end(),
  );
  const lookup = async (host: string) => [
    { address: host === "site.test" ? "127.0.0.1" : "192.168.0.1", family: 4 },
  ];

  await expect(site.fetch(`http://site.test:${site.port}/`, { lookup })).rejects.toMatchObject({
    type,
  });
});

test("a fetch fails after too many redirects", async () => {
  await using site = await openSite((_request, response) =>
    response.writeHead(302, { location: "/" }).end(),
  );

  await expect(site.fetch(`http://site.test:${site.port}/`)).rejects.toMatchObject({
    type: "too_many_redirects",
  });
  expect(site.connections()).toBe(6);
});

test("a long page is cut, and a note says how to get more", async () => {
  await using site = await openSite(answer("x".repeat(1000)));

  const text = await site.fetch(`http://site.test:${site.port}/`, {}, { max_bytes: 10 });

  expect(text).toMatch(/\n\nx{10}\n\[cut: 10 of 1000 bytes; up to 200000 with max_bytes\]$/);
});

test("a decompression bomb is cut at the limit", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, "x"));
  await using site = await openSite(
    answer(bomb, { "content-type": "text/plain", "content-encoding": "gzip" }),
  );

  expect(await site.fetch(`http://site.test:${site.port}/`)).toContain(
    "of more than 5000000 bytes",
  );
});

test.each([
  ["a response with status 404", 404, "text/plain", "http_error"],
  ["an image", 200, "image/png", "not_text"],
])("%s fails the call", async (_name, statusCode, type, expected) => {
  await using site = await openSite((_request, response) =>
    response.writeHead(statusCode, { "content-type": type }).end("x"),
  );

  await expect(site.fetch(`http://site.test:${site.port}/`)).rejects.toMatchObject({
    type: expected,
    statusCode: statusCode === 200 ? undefined : statusCode,
  });
});

test("a site that never responds times out", async () => {
  await using site = await openSite(() => undefined);

  await expect(
    site.fetch(`http://site.test:${site.port}/`, { timeoutMs: 100 }),
  ).rejects.toMatchObject({
    type: "timed_out",
    message: "site.test did not answer within 100 ms",
  });
});

test("a site that stops in the middle of its response times out", async () => {
  await using site = await openSite((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).write("begun");
  });

  await expect(
    site.fetch(`http://site.test:${site.port}/`, { timeoutMs: 200 }),
  ).rejects.toMatchObject({
    type: "timed_out",
  });
});

test("cancelling the call ends the fetch", async () => {
  const controller = new AbortController();
  await using site = await openSite(() => controller.abort());

  const fetching = site.fetch(`http://site.test:${site.port}/`, {}, { signal: controller.signal });

  await expect(fetching).rejects.toMatchObject({ type: "cancelled" });
});

test.each(["ftp://a.b/", "nonsense", "http://user:word@example.com/", "file:///etc/passwd"])(
  "web_fetch refuses the URL %s",
  async (url) => {
    await using workspace = await openTempWorkspace();

    await expect(createWebFetch().plan({ url }, workspace)).rejects.toMatchObject({
      type: "invalid_url",
    });
  },
);

test("the error for an unknown host name contains the name and the error code", async () => {
  await using site = await openSite(answer(""));
  const lookup = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }));

  await expect(site.fetch("http://nowhere.test/", { lookup })).rejects.toMatchObject({
    type: "fetch_failed",
    message: "nowhere.test could not be reached: ENOTFOUND",
  });
});
