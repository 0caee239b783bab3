/// <reference types="node" />
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import type { LocalAgent } from "@dt/schema";
import { expect, test } from "vitest";
import { findLocalAgents } from "./find-local-agents.js";

/** Opens an empty directory of agent files, and an agent that answers. */
async function openStage() {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-agents-"));
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const agent: LocalAgent = {
    url: `http://127.0.0.1:${port}/`,
    token: "secret",
    workspacePath: "/src",
    program: "dt",
    pid: process.pid,
    machine: hostname(),
    startedAt: "2026-01-01T00:00:00.000Z",
  };
  return {
    directory,
    agent,
    seen,
    async write(name: string, content: object, mode = 0o600) {
      const file = path.join(directory, name);
      await writeFile(file, JSON.stringify(content));
      await chmod(file, mode);
      return file;
    },
    find: () => findLocalAgents({ directory, timeoutMs: 60_000 }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await rm(directory, { recursive: true });
    },
  };
}

test("running agents are found, the latest first, and get no token before a client connects [TEAM-03]", async () => {
  await using stage = await openStage();
  const later = { ...stage.agent, contextId: "session", startedAt: "2026-01-02T00:00:00.000Z" };
  await stage.write("a.json", stage.agent);
  await stage.write("b.json", later);

  expect(await stage.find()).toEqual([later, stage.agent]);
  expect(stage.seen).toEqual([undefined, undefined]);
});

test("no directory means no agent", async () => {
  await using stage = await openStage();

  expect(await findLocalAgents({ directory: path.join(stage.directory, "missing") })).toEqual([]);
});

test("agent files of ended processes, other machines and ports without an agent are left out", async () => {
  await using stage = await openStage();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await stage.write("ended.json", { ...stage.agent, pid });
  await stage.write("elsewhere.json", { ...stage.agent, machine: "another" });
  await stage.write("silent.json", { ...stage.agent, url: "http://127.0.0.1:1/" });

  expect(await stage.find()).toEqual([]);
});

test("damaged files, large files, links and files that others can read are ignored", async () => {
  await using stage = await openStage();
  await stage.write("damaged.json", { ...stage.agent, token: 1 });
  await stage.write("large.json", { ...stage.agent, more: "x".repeat(20_000) });
  await stage.write("readable.json", stage.agent, 0o644);
  const draft = await stage.write(".draft.json", stage.agent);
  await symlink(draft, path.join(stage.directory, "link.json"));

  expect(await stage.find()).toEqual([]);
});
