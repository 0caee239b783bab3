import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as requestHttp } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { type AgentServerOptions, createLogger, issueToken, openMemoryStore } from "@dt/server";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { OTHER_SELF_SIGNED, SELF_SIGNED } from "../support/self-signed.js";
import { openTokenStage, sendAs } from "./token-stage.js";

/** Writes a certificate and its key to files in a temporary directory. */
async function openCertificate() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-tls-"));
  const files = {
    certFile: path.join(directory, "cert.pem"),
    keyFile: path.join(directory, "key.pem"),
  };
  await writeFile(files.certFile, SELF_SIGNED.cert);
  await writeFile(files.keyFile, SELF_SIGNED.key);
  return {
    files,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Sends a GET request with the modules of Node, because `fetch` cannot set the Host header. */
async function get(url: string, headers: Record<string, string> = {}, agent?: Agent) {
  const request = url.startsWith("https")
    ? requestHttps(url, { headers, agent: agent ?? new Agent({ ca: SELF_SIGNED.cert }) })
    : requestHttp(url, { headers });
  request.end();
  const [response] = await once(request, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, json: JSON.parse(text) };
}

const card = ".well-known/agent-card.json";
const open = (server: Partial<AgentServerOptions>) => openTokenStage({ server });

test("the card names the public address and the security scheme, for both versions of A2A", async () => {
  await using stage = await open({ publicUrl: "https://dt.example/agent" });
  const port = stage.grpcAddress.split(":").at(-1);

  const { json: shared } = await get(`${stage.url}${card}`);
  const { json: pure } = await get(`${stage.url}${card}`, { "A2A-Version": "1.0" });

  const addresses = shared.supportedInterfaces.map(({ url }: { url: string }) => url);
  expect([shared.url, ...addresses]).toEqual([
    "https://dt.example/agent/",
    "https://dt.example/agent/",
    "https://dt.example/agent/",
    "https://dt.example/agent/v1",
    "wss://dt.example/agent/ws",
    `dt.example:${port}`,
  ]);
  expect(pure).toMatchObject({
    securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { token: {} } }],
    capabilities: { extendedAgentCard: true },
  });
  expect(shared).toMatchObject({
    securitySchemes: { token: { type: "http", scheme: "Bearer" } },
    security: [{ token: [] }],
    supportsAuthenticatedExtendedCard: true,
  });
});

test("the card of a server that requires no token has no security scheme", async () => {
  await using stage = await open({ isAuthRequired: false });

  const { json } = await get(`${stage.url}${card}`);

  expect(json.url).toBe(stage.url);
  expect(json).not.toHaveProperty("securitySchemes");
  expect(json).not.toHaveProperty("security");
});

test("an authenticated caller gets the extended card, which contains the caller's role", async () => {
  await using stage = await open({});
  const token = await stage.token("ada", "observe");

  const extended = await (await sendAs(`${stage.url}v1/extendedAgentCard`, { token })).json();
  const nobody = await sendAs(`${stage.url}v1/extendedAgentCard`);

  const [, session] = extended.capabilities.extensions;
  expect(session.params.caller).toEqual({ user: "ada", name: "ada/observe", role: "observe" });
  expect(nobody.status).toBe(401);
});

test("a request is served if its Host is the public, an allowed or a local name [SEC-01]", async () => {
  await using stage = await open({
    publicUrl: "https://dt.example/",
    allowedHosts: ["Other.Example"],
  });
  const statusOf = async (host: string) =>
    (await get(`${stage.url}${card}`, { Host: host })).status;

  expect(
    await Promise.all(["dt.example", "dt.example:443", "other.example", "localhost"].map(statusOf)),
  ).toEqual([200, 200, 200, 200]);
  expect(await Promise.all(["evil.example", "10.0.0.1"].map(statusOf))).toEqual([403, 403]);
});

test("the card of a server on all addresses names the address that the request used", async () => {
  const store = openMemoryStore();
  await issueToken(store, { user: "ada", name: "laptop", role: "admin", now: new Date() });
  await using stage = await open({ store, host: "0.0.0.0" });
  const { port } = stage.server;
  const url = `http://127.0.0.1:${port}/`;

  const { json } = await get(`${url}${card}`, { Host: `192.0.2.7:${port}` });
  const foreign = await get(`${url}${card}`, { Host: "evil.example" });

  expect(json.url).toBe(`http://192.0.2.7:${port}/`);
  expect(foreign.status).toBe(403);
});

test("a server without tokens does not start on an address beyond loopback [SEC-02]", async () => {
  await expect(open({ host: "0.0.0.0" })).rejects.toThrow(
    "create a token first (dt-server token create --user NAME --name DEVICE --role admin)",
  );
});

test("HTTP, WebSocket and gRPC are served with TLS", async () => {
  await using certificate = await openCertificate();
  await using stage = await open({ tls: certificate.files });
  const token = await stage.token("ada");
  const headers = { Authorization: `Bearer ${token}` };

  const listed = await get(`${stage.url}v1/tasks`, headers);
  const { json } = await get(`${stage.url}${card}`);
  const socket = new WebSocket(stage.wsUrl, ["dt.a2a.v1"], { headers, ca: SELF_SIGNED.cert });
  await once(socket, "open");
  socket.terminate();
  const channel = new Client(
    stage.grpcAddress,
    credentials.createSsl(Buffer.from(SELF_SIGNED.cert)),
  );
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const same = (bytes: Buffer) => bytes;
  const called = await new Promise((resolve) =>
    channel.makeUnaryRequest(
      "/lf.a2a.v1.A2AService/ListTasks",
      same,
      same,
      Buffer.alloc(0),
      metadata,
      (error) => resolve(error),
    ),
  );
  channel.close();

  expect(stage.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
  expect(json.url).toBe(stage.url);
  expect(listed.status).toBe(200);
  expect(called).toBeNull();
});

test("a changed certificate is used for new connections, unless the certificate is unusable", async () => {
  await using certificate = await openCertificate();
  const { certFile, keyFile } = certificate.files;
  const lines: string[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
  await using stage = await open({ tls: certificate.files, logger });
  const serial = async () => (await peerOf(stage.server.port)).serialNumber;
  const before = await serial();

  await writeFile(certFile, "not a certificate");
  await expect.poll(() => stage.faults.length, { timeout: 60_000 }).toBeGreaterThan(0);
  const meanwhile = await serial();
  // Between these two writes, the certificate and the key do not belong together.
  await writeFile(certFile, OTHER_SELF_SIGNED.cert);
  await writeFile(keyFile, OTHER_SELF_SIGNED.key);
  await expect.poll(serial, { timeout: 60_000 }).not.toBe(before);

  expect(meanwhile).toBe(before);
  expect(lines.join("")).toContain("the certificate was read again");
});

async function peerOf(port: number): Promise<PeerCertificate> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

test.for<[string, string, string]>([
  ["a missing key file", "nowhere.pem", "cannot be read"],
  ["a key file without a key", "cert.pem", "cannot be used with the key"],
])("%s is reported when the server starts", async ([, name, problem]) => {
  await using certificate = await openCertificate();
  const { certFile } = certificate.files;
  const keyFile = path.join(path.dirname(certFile), name);

  await expect(open({ tls: { certFile, keyFile } })).rejects.toThrow(problem);
});

test.for<[boolean, string]>([
  [false, "127.0.0.1"],
  [true, "192.0.2.9"],
])("with trustsProxy %s, the log has the client address %s", async ([trustsProxy, address]) => {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
  await using stage = await open({ logger, trustsProxy });

  await sendAs(`${stage.url}v1/tasks`, {
    headers: { "X-Forwarded-For": "198.51.100.1, 192.0.2.9" },
  });

  await expect.poll(() => lines.join("")).toContain(`"address":"${address}"`);
});
