import { createServer } from "node:http";
import { parseAllowList } from "@dt/schema/address";
import { expect, test } from "vitest";
import type { AddressRules } from "./address/address-rules.js";
import { openHttpServer } from "./http-servers.test-support.js";
import { openMcpStage, outputText } from "./open-mcp-stage.test-support.js";

/** Creates rules whose name service resolves every host to the given addresses. */
function rulesFor(addresses: readonly string[], rules: Partial<AddressRules> = {}) {
  const resolvedHosts: string[] = [];
  const addressRules: AddressRules = {
    allowList: parseAllowList([]),
    allowsLoopback: false,
    async resolveName(host) {
      resolvedHosts.push(host);
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    ...rules,
  };
  return { addressRules, resolvedHosts };
}

function withHost(url: string, host = "tools.example"): string {
  return url.replace("127.0.0.1", host);
}

test("a client's MCP server with a URL is used if the operator allows its address [SEC-04]", async () => {
  await using server = await openHttpServer({ token: "s3cret-token" });
  const { addressRules, resolvedHosts } = rulesFor(["127.0.0.1"], {
    allowList: parseAllowList(["127.0.0.0/8"]),
  });
  await using stage = await openMcpStage({
    servers: {
      remote: { url: withHost(server.url), headers: { authorization: "Bearer s3cret-token" } },
    },
    addressRules,
  });

  expect(outputText(await stage.run("hello"))).toBe("hello");
  expect(new Set(resolvedHosts)).toEqual(new Set(["tools.example"]));
});

test("a client's MCP server may be on this machine if the client is also on it [SEC-04]", async () => {
  await using server = await openHttpServer();
  const { addressRules } = rulesFor(["127.0.0.1"], { allowsLoopback: true });
  await using stage = await openMcpStage({
    servers: { one: { url: server.url }, two: { url: withHost(server.url, "localhost") } },
    addressRules,
  });

  expect(stage.report("one").status).toBe("connected");
  expect(stage.report("two").status).toBe("connected");
});

test.each([
  ["this machine", ["127.0.0.1"]],
  ["this machine and a public address", ["93.184.216.34", "127.0.0.1"]],
  ["a private network", ["10.0.0.1"]],
  ["cloud metadata in IPv6", ["::ffff:169.254.169.254"]],
  ["no address", []],
])(
  "a client's MCP server is refused if its name resolves to %s [SEC-04]",
  async (_where, addresses) => {
    await using server = await openHttpServer();
    const { addressRules } = rulesFor(addresses, { allowsLoopback: true });
    await using stage = await openMcpStage({
      servers: { remote: { url: withHost(server.url) } },
      addressRules,
    });

    expect(stage.report("remote")).toMatchObject({
      status: "failed",
      error:
        "the MCP server remote could not be reached: tools.example is on this machine or a private network; add it to DT_MCP_ALLOW to allow it",
    });
  },
);

test("the name of a client's MCP server is resolved and checked for every connection [SEC-04]", async () => {
  await using server = await openHttpServer();
  const answers = [["127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"]];
  const { addressRules } = rulesFor([], {
    allowList: parseAllowList(["127.0.0.1"]),
    resolveName: async () =>
      (answers.shift() ?? ["10.0.0.1"]).map((address) => ({ address, family: 4 })),
  });
  await using stage = await openMcpStage({
    servers: { remote: { url: withHost(server.url) } },
    addressRules,
  });
  answers.length = 0;

  await expect(stage.run("hello")).rejects.toMatchObject({
    name: "ToolError",
    message: expect.stringContaining("on this machine or a private network"),
  });
});

test.each([301, 302, 303, 307, 308])(
  "a redirect of a client's MCP server with status %i is not followed [SEC-04]",
  async (status) => {
    let requests = 0;
    await using target = await listen((_request, response) => {
      requests += 1;
      response.end();
    });
    await using server = await listen((_request, response) => {
      response.writeHead(status, { location: `${target.url}/mcp` }).end();
    });
    const { addressRules } = rulesFor([], { allowsLoopback: true });
    await using stage = await openMcpStage({
      servers: { remote: { url: `${server.url}/mcp` } },
      addressRules,
    });

    expect(stage.report("remote")).toMatchObject({
      status: "failed",
      error: `the MCP server remote could not be reached: it answered with status ${status}, and redirects are not followed`,
    });
    expect(requests).toBe(0);
  },
);

test("a redirect of a client's MCP server to another path of the server is not followed [SEC-04]", async () => {
  const paths: (string | undefined)[] = [];
  await using server = await listen(({ url }, response) => {
    paths.push(url);
    response.writeHead(307, { location: "/admin" }).end();
  });
  const { addressRules } = rulesFor([], { allowsLoopback: true });
  await using stage = await openMcpStage({
    servers: { remote: { url: `${server.url}/mcp` } },
    addressRules,
  });

  expect(stage.report("remote").status).toBe("failed");
  expect(new Set(paths)).toEqual(new Set(["/mcp"]));
});

async function listen(onRequest: Parameters<typeof createServer>[1]) {
  const http = createServer(onRequest);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
    },
  };
}
