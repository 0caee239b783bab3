import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { openDatabase } from "@dt/tooling/postgres";
import { expect, test } from "vitest";
import { readYaml } from "../deploy/deploy-files.js";
import { findFreePort, startServerProcess } from "../e2e/support/server-process.js";
import { readText, root } from "../repository/repository.js";
import { recordProof } from "./record-proof.js";

// The proof needs `apt-get install caddy`. It runs the processes of the compose file without containers.

const NAMES = ["dt-1", "dt-2"] as const;
const PROMPTS = 12;

/** Starts Caddy with the Caddyfile of compose, over plain HTTP and with other addresses. */
async function startCaddy(directory: string, upstreams: readonly number[]) {
  const port = await findFreePort();
  const file = path.join(directory, "Caddyfile");
  const text = readText("deploy/compose/Caddyfile")
    .replace("{$DT_DOMAIN}", `http://dt.example:${port}`)
    .replace("dt-1:8080 dt-2:8080", upstreams.map((each) => `localhost:${each}`).join(" "));
  writeFileSync(file, `{\n\tadmin off\n}\n${text}`);
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    env: { PATH: process.env.PATH, HOME: directory },
    stdio: "ignore",
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

test("two servers behind Caddy serve one session, even after one server was killed [SRV-17, SRV-27]", async () => {
  await recordProof(
    "the processes of the compose file; one server is killed",
    PROMPTS,
    async () => {
      await using database = await openDatabase();
      await using stage = await openTempWorkspace();
      const workspaces = path.join(stage.root, "workspaces");
      mkdirSync(workspaces);
      const { services } = readYaml("deploy/compose/compose.yaml");
      const environmentOf = (name: (typeof NAMES)[number], port: number) => ({
        ...services[name].environment,
        PATH: process.env.PATH ?? "",
        HOME: stage.root,
        GEMINI_API_KEY: "",
        DT_SECRET_KEY: "a key of more than 32 characters, for this proof",
        DT_STORE: database.url,
        DT_PUBLIC_URL: "https://dt.example/",
        DT_ALLOWED_HOSTS: "localhost",
        DT_MODEL: "offline",
        DT_DATA_DIR: path.join(stage.root, name),
        DT_WORKSPACE_ROOTS: workspaces,
        CODER_AGENT_WORKSPACE_PATH: workspaces,
        CODER_AGENT_PORT: String(port),
      });
      const ports = [await findFreePort(), await findFreePort()] as const;
      const main = path.join(root, "apps/server/dist/main.js");
      const args = ["token", "create", "--user", "ada", "--name", "laptop", "--role", "admin"];
      const env = environmentOf("dt-1", 0);
      const token = execFileSync(process.execPath, [main, ...args], {
        env,
        encoding: "utf8",
      }).trim();
      await using first = await startServerProcess(environmentOf("dt-1", ports[0]));
      await using _second = await startServerProcess(environmentOf("dt-2", ports[1]));
      await using caddy = await startCaddy(stage.root, ports);

      /** Sends a prompt through Caddy. A request that no server answers is sent again with the same message id. */
      async function prompt(number: number, contextId: string | undefined): Promise<string> {
        const message = {
          kind: "message",
          role: "user",
          messageId: `message ${number}`,
          parts: [{ kind: "text", text: `say turn ${number}` }],
          ...(contextId !== undefined && { contextId }),
        };
        const body = JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "message/stream",
          params: { message },
        });
        for (;;) {
          const reply = await post(caddy.port, token, body).catch(() => "");
          if (reply.includes('"completed"')) return reply;
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }

      let contextId: string | undefined;
      for (let number = 1; number <= PROMPTS; number += 1) {
        if (number === PROMPTS / 2) await first.kill();
        const reply = await prompt(number, contextId);
        contextId ??= /"contextId":"([^"]+)"/.exec(reply)?.[1];
        expect(reply).toContain(`turn ${number}`);
        expect(reply).toContain(contextId);
      }
      return `held: ${PROMPTS} turns of one session completed, half of them after kill -9 of a server`;
    },
  );
});

/** Posts to Caddy under the name of the server. `fetch` does not send another `Host`. */
async function post(port: number, token: string, body: string): Promise<string> {
  const sent = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    headers: {
      host: "dt.example",
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  return await text(response);
}
