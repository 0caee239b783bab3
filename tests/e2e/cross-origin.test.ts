import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";

const PAGE = "https://ide.example";
const openForPage = () => openStage({ server: { allowedOrigins: [PAGE] } });
const PREFLIGHT = {
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers":
    "content-type,a2a-version,a2a-extensions,last-event-id,x-dt-client-id",
};

test.each(["", "v1/message:stream", "health", ".well-known/agent-card.json"])(
  "the preflight request of an allowed page for /%s is granted [SEC-01]",
  async (path) => {
    await using stage = await openForPage();

    const response = await fetch(`${stage.url}${path}`, {
      method: "OPTIONS",
      headers: { Origin: PAGE, ...PREFLIGHT },
    });
    const headers = (response.headers.get("Access-Control-Allow-Headers") ?? "").toLowerCase();

    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe(PAGE);
    expect(response.headers.get("Access-Control-Allow-Methods")).toContain("POST");
    expect(headers.split(", ")).toEqual(
      expect.arrayContaining(PREFLIGHT["Access-Control-Request-Headers"].split(",")),
    );
  },
);

test("every response to an allowed page has CORS headers without credentials [SEC-01]", async () => {
  await using stage = await openForPage();
  const send = (body: string) =>
    fetch(stage.url, {
      method: "POST",
      headers: { Origin: PAGE, "Content-Type": "application/json", "A2A-Version": "1.0" },
      body,
    });
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "say hi" }] };

  const responses = [
    await fetch(`${stage.url}.well-known/agent-card.json`, { headers: { Origin: PAGE } }),
    await fetch(`${stage.url}health`, { headers: { Origin: PAGE } }),
    await fetch(`${stage.url}nothing`, { headers: { Origin: PAGE } }),
    await send("{"),
    await send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "SendStreamingMessage",
        params: { message },
      }),
    ),
  ];

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 404, 400, 200]);
  for (const { headers } of responses) {
    expect(headers.get("Access-Control-Allow-Origin")).toBe(PAGE);
    expect(headers.get("Access-Control-Expose-Headers")).toContain("A2A-Extensions");
    expect(headers.get("Access-Control-Allow-Credentials")).toBeNull();
    expect(headers.get("Vary")).toMatch(/^Origin\b/);
  }
  expect(responses[4]?.headers.get("Content-Type")).toBe("text/event-stream");
  expect(await responses[4]?.text()).toContain("hi");
});

test.each(["https://evil.example", "https://ide.example.evil", "http://ide.example", "null"])(
  "a request from the origin %s gets 403 without CORS headers [SEC-01]",
  async (origin) => {
    await using stage = await openForPage();
    const card = `${stage.url}.well-known/agent-card.json`;

    const responses = [
      await fetch(card, { headers: { Origin: origin } }),
      await fetch(`${stage.url}health`, { headers: { Origin: origin } }),
      await fetch(stage.url, { method: "OPTIONS", headers: { Origin: origin, ...PREFLIGHT } }),
    ];

    for (const { status, headers } of responses) {
      expect(status).toBe(403);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  },
);

test("a server without allowed origins sends no CORS headers [SEC-01]", async () => {
  await using stage = await openStage();

  const response = await fetch(`${stage.url}.well-known/agent-card.json`);
  const preflight = await fetch(stage.url, {
    method: "OPTIONS",
    headers: { Origin: PAGE, ...PREFLIGHT },
  });

  expect(preflight.status).toBe(403);
  for (const { headers } of [response, preflight]) {
    expect([...headers.keys()].filter((name) => /^access-control/.test(name))).toEqual([]);
    expect(headers.get("Vary") ?? "").not.toContain("Origin");
  }
});

test("an allowed page gets private network access only if the page requests that access [SEC-01]", async () => {
  await using stage = await openForPage();
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(stage.url, {
      method: "OPTIONS",
      headers: { Origin: PAGE, ...PREFLIGHT, ...headers },
    });
    return response.headers.get("Access-Control-Allow-Private-Network");
  };

  expect(await ask({})).toBeNull();
  expect(await ask({ "Access-Control-Request-Private-Network": "true" })).toBe("true");
});
