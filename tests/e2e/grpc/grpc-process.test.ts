import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DEVELOPMENT_TOOL_URI, SESSION_URI } from "@dt/schema";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { openDataDir } from "../support/data-dir.js";
import { startServerProcess } from "../support/server-process.js";
import { jsonOf } from "../ws-client.js";
import { openRawGrpc, readAll, readUntil } from "./grpc-client.js";
import { prompt } from "./grpc-server.js";

async function openSetup() {
  const workspace = await openTempWorkspace();
  const data = await openDataDir();
  return {
    workspace,
    environment: {
      DT_DATA_DIR: data.directory,
      DT_WORKSPACE_ROOTS: workspace.root,
      CODER_AGENT_PORT: "0",
      DT_SHUTDOWN_GRACE_MS: "0",
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await data[Symbol.asyncDispose]();
    },
  };
}

async function grpcAddressOf(url: string): Promise<string> {
  const card = await jsonOf(await fetch(`${url}.well-known/agent-card.json`));
  return card.supportedInterfaces.find(
    (each: { protocolBinding: string }) => each.protocolBinding === "GRPC",
  )?.url;
}

test("a gRPC client resumes after its last event when the server is restarted [LOG-01, LOG-02]", async () => {
  await using setup = await openSetup();
  const environment = { ...setup.environment, DT_GRPC_PORT: "0" };
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: setup.workspace.root } };
  const headers = { "a2a-extensions": SESSION_URI };
  const first = await startServerProcess(environment);
  using client = openRawGrpc(await grpcAddressOf(first.url));
  const request = prompt("say before then wait 60000", { metadata });
  const stream = client.stream("sendStreamingMessage", request, { headers });
  const seen = await readUntil(
    stream,
    ({ statusUpdate }) => statusUpdate?.status.message?.parts[0].text === "before",
  );
  const ended = readAll(stream).catch((reason: unknown) => reason);

  const { code, stderr } = await first.stop();
  await using second = await startServerProcess(environment);
  using next = openRawGrpc(await grpcAddressOf(second.url));
  const cursor = seen.at(-1).statusUpdate.metadata[SESSION_URI].cursor;
  const rest = await readAll(
    next.stream(
      "subscribeToTask",
      { id: seen[0].task.id },
      { headers: { ...headers, "last-event-id": cursor } },
    ),
  );

  expect([code, stderr]).toEqual([0, ""]);
  expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
  expect(rest.at(-1)).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_FAILED" } } });
});

test("dt-server exits with 2 and mentions DT_GRPC_PORT if the gRPC port is in use", async () => {
  await using setup = await openSetup();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };

  const started = startServerProcess({ ...setup.environment, DT_GRPC_PORT: String(port) });

  await expect(started).rejects.toThrow(
    `dt-server ended with 2: port ${port} on 127.0.0.1 is already in use; set DT_GRPC_PORT to another one, or to 0 for any`,
  );
  taken.close();
});

test("dt-server without DT_GRPC_PORT lists no gRPC in its card and loads no gRPC library", async () => {
  await using setup = await openSetup();
  await using server = await startServerProcess(setup.environment);
  const dist = path.resolve(import.meta.dirname, "../../../apps/server/dist");

  expect(await grpcAddressOf(server.url)).toBeUndefined();
  const texts = await readStaticImports(path.join(dist, "main.js"));
  expect(texts.size).toBeGreaterThan(1);
  expect([...texts].filter(([, text]) => text.includes("grpc-status"))).toEqual([]);
});

/** Reads a module and all modules that it imports statically. */
async function readStaticImports(
  file: string,
  read = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (read.has(file)) return read;
  const text = await readFile(file, "utf8");
  read.set(file, text);
  for (const [, name = ""] of text.matchAll(/(?:from|^import)\s*"(\.\/[^"]+)"/gm)) {
    await readStaticImports(path.join(path.dirname(file), name), read);
  }
  return read;
}
