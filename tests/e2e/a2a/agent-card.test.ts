import { AgentCard } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { connect } from "@dt/client";
import { isObject } from "@dt/schema";
import { openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { jsonOf } from "../ws-client.js";

const PATH = ".well-known/agent-card.json";

/** Lists the paths of all fields in a value, except inside `params`, where the proto defines no fields. */
function fieldsOf(json: unknown, path = ""): readonly string[] {
  if (Array.isArray(json)) return [...new Set(json.flatMap((item) => fieldsOf(item, `${path}[]`)))];
  if (!isObject(json) || path.endsWith(".params")) return [];
  return Object.entries(json).flatMap(([key, value]) => [
    `${path}.${key}`,
    ...fieldsOf(value, `${path}.${key}`),
  ]);
}

test.each([
  ["the header", PATH, { "A2A-Version": "1.0" }],
  ["the URL", `${PATH}?A2A-Version=1.0`, {}],
])(
  "a client that names A2A 1.0 in %s gets a card with only fields of A2A 1.0 [RFC-04]",
  async (_, path, headers) => {
    await using server = await openTestServer();

    const response = await fetch(`${server.url}${path}`, { headers });
    const card = await jsonOf(response);

    // The SDK's codec drops every field that the proto does not have, and every default value.
    const known = fieldsOf(AgentCard.toJSON(AgentCard.fromJSON(card)));
    const defaults = [".capabilities.extensions[].required"];
    expect(fieldsOf(card).filter((field) => !known.includes(field))).toEqual(defaults);
    expect(card.supportedInterfaces[0]).toMatchObject({ protocolVersion: "1.0" });
    expect(response.headers.get("Vary")).toContain("A2A-Version");
  },
);

test.each([{}, { "A2A-Version": "0.3" }, { "A2A-Version": "1.7" }])(
  "a client with the headers %j gets a card that clients of both versions can read",
  async (headers) => {
    await using server = await openTestServer();

    const response = await fetch(`${server.url}${PATH}`, { headers });

    expect(response.headers.get("Vary")).toContain("A2A-Version");
    expect(await jsonOf(response)).toMatchObject({
      url: server.url,
      protocolVersion: "0.3.0",
      preferredTransport: "JSONRPC",
      capabilities: { streaming: true, stateTransitionHistory: true },
      supportedInterfaces: [{ protocolVersion: "1.0" }, {}, {}, {}],
    });
  },
);

test("the card for A2A 1.0 and the card for both versions have different ETags", async () => {
  await using server = await openTestServer();
  const tagOf = async (headers: Record<string, string>) =>
    (await fetch(`${server.url}${PATH}`, { headers })).headers.get("ETag");

  expect(await tagOf({ "A2A-Version": "1.0" })).not.toBe(await tagOf({}));
});

test("@dt/client and the official client connect with a card that has only fields of A2A 1.0", async () => {
  await using server = await openTestServer();
  const fetchPure: typeof fetch = (input, init) =>
    String(input).endsWith(PATH) ? fetch(`${input}?A2A-Version=1.0`, init) : fetch(input, init);

  const own = await connect(server.url, { fetch: fetchPure });
  const card = AgentCard.fromJSON(await jsonOf(await fetchPure(`${server.url}${PATH}`)));
  const official = await new ClientFactory().createFromAgentCard(card);

  expect(own.version).toBe("1.0");
  await expect(official.getTask({ tenant: "", id: "no" })).rejects.toMatchObject({
    name: "TaskNotFoundError",
  });
  own.close();
});
