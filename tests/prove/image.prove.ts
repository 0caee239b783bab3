import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { DockerfileParser } from "dockerfile-ast";
import { expect, test } from "vitest";
import { findFreePort } from "../e2e/support/server-process.js";
import { readText, root } from "../repository/repository.js";
import { recordProof } from "./record-proof.js";

// The proof needs `apt-get install bubblewrap prometheus systemd`. It replaces `docker build`, because it fetches no
// base image: it runs the steps of the Dockerfile in a copy, and the result with a read-only root under bubblewrap.

const run = promisify(execFile);

const instructions = DockerfileParser.parse(readText("Dockerfile")).getInstructions();

const all = (keyword: string) => instructions.filter((each) => each.getKeyword() === keyword);

/** Returns the text after the last use of a keyword. */
const argumentsOf = (keyword: string): string =>
  all(keyword).at(-1)?.getRawArgumentsContent() ?? "";

/** Parses the list of strings after a keyword. */
const listOf = (keyword: string): string[] => {
  const text = argumentsOf(keyword);
  return JSON.parse(text.slice(text.indexOf("[")));
};

/** User of the image. */
const [user = 0] = argumentsOf("USER").split(":").map(Number);

/** Copies the files that `.dockerignore` does not exclude. */
function copyContext(target: string): void {
  const lines = readText(".dockerignore").split("\n");
  const included = lines.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const isSource = (file: string) =>
    !/(^|\/)(node_modules|dist|\.turbo)(\/|$)|\.test\.ts$|\/\.env/.test(path.relative(root, file));
  for (const name of included) {
    cpSync(path.join(root, name), path.join(target, name), { recursive: true, filter: isSource });
  }
}

/** Returns the arguments with which bubblewrap shows the file system of the image. The root is read-only. */
function imageArguments(app: string, state: string): readonly string[] {
  const links = ["bin", "lib", "lib64", "sbin"].flatMap((name) => [
    ...["--symlink", `usr/${name}`, `/${name}`],
  ]);
  const volumes = listOf("VOLUME").flatMap((volume) => [
    ...["--bind", path.join(state, path.basename(volume)), volume],
  ]);
  return [
    ...["--unshare-pid", "--unshare-user", "--uid", String(user), "--gid", String(user)],
    ...["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", ...links],
    ...["--proc", "/proc", "--dev", "/dev", "--ro-bind", app, "/app", ...volumes],
    ...["--remount-ro", "/", "--chdir", argumentsOf("WORKDIR"), "--clearenv"],
  ];
}

/** The variables of the image, with a free port. */
function variablesOf(port: number): readonly string[] {
  const pairs = argumentsOf("ENV").match(/[A-Z_]+=\S+/g) ?? [];
  const all = [...pairs, `CODER_AGENT_PORT=${port}`, "PATH=/usr/bin:/bin", "DT_MODEL=offline"];
  return all.flatMap((pair) => ["--setenv", ...pair.split(/=(.*)/s).slice(0, 2)]);
}

test("the steps of the Dockerfile make a server that runs without rights on a read-only root [SRV-17]", async () => {
  await recordProof("the Dockerfile's steps in a copy, and the tools of manifests", 1, async () => {
    await using stage = await openTempWorkspace();
    const [context, out, state] = ["src", "out", "state"].map((name) =>
      path.join(stage.root, name),
    ) as [string, string, string];
    chmodSync(stage.root, 0o755);
    copyContext(context);
    execFileSync(
      "/bin/sh",
      ["-c", (all("RUN")[0]?.getRawArgumentsContent() ?? "").replace("/out", out)],
      {
        cwd: context,
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    expect(readdirSync(out).toSorted()).toEqual([
      "LICENSE",
      "dist",
      "node_modules",
      "package.json",
    ]);
    const size = Number(execFileSync("du", ["-sm", out], { encoding: "utf8" }).split("\t")[0]);
    expect(size).toBeLessThan(80);

    for (const volume of listOf("VOLUME")) {
      const directory = path.join(state, path.basename(volume));
      mkdirSync(directory, { recursive: true });
      if (process.getuid?.() === 0) chownSync(directory, user, user);
    }
    const port = await findFreePort();
    const identity = process.getuid?.() === 0 ? { uid: user, gid: user } : {};
    const inImage = (command: readonly string[]) =>
      [...imageArguments(out, state), ...variablesOf(port), "--", ...command] as string[];
    const entry = listOf("ENTRYPOINT").slice(2);

    const refused = run("bwrap", inImage(entry), identity);
    await expect(refused).rejects.toMatchObject({ code: 2 });
    const create = ["token", "create", "--user", "ada", "--name", "laptop", "--role", "admin"];
    const { stdout: token } = await run("bwrap", inImage([...entry, ...create]), identity);

    const server = spawn("bwrap", inImage(entry), {
      ...identity,
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface({ input: server.stdout })) {
      if (line.includes("listens on")) break;
    }
    const [program = "", ...args] = listOf("HEALTHCHECK");
    await run(program, args, { env: { ...process.env, CODER_AGENT_PORT: String(port) } });
    await promptOn(port, token.trim());
    expect(readdirSync(path.join(state, "workspaces"))).toEqual(["made"]);
    // bubblewrap does not pass signals on, so the server itself gets the signal.
    const [child] = execFileSync("pgrep", ["--full", "^node /app/dist/main.js$"], {
      encoding: "utf8",
    }).split("\n");
    process.kill(Number(child), "SIGTERM");
    expect(await once(server, "exit")).toEqual([0, null]);

    await run("promtool", ["check", "rules", path.join(root, "deploy/monitoring/alerts.yaml")]);
    await checkUnit(stage.root);
    return `held: ${size} MB of files; exit code 2 without a token; healthy; stopped with exit code 0`;
  });
});

/** Lets the agent run a command that writes to the root, and returns the reply. */
async function promptOn(port: number, token: string): Promise<string> {
  async function post(text: string, taskId?: string): Promise<string> {
    const parts = [{ kind: "text", text }];
    const message = { kind: "message", role: "user", messageId: text, parts, taskId };
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "message/stream",
        params: { message },
      }),
    });
    return await response.text();
  }
  const asked = await post("run touch /made; touch made");
  return await post("proceed_once", /"taskId":"([^"]+)"/.exec(asked)?.[1]);
}

/** Checks the unit of systemd, with its program and workspaces replaced by paths that exist on this machine. */
async function checkUnit(directory: string): Promise<void> {
  const unit = readText("deploy/systemd/dt-server.service")
    .replace("/usr/bin/node", process.execPath)
    .replaceAll("/srv/workspaces", directory);
  const file = path.join(directory, "dt-server.service");
  writeFileSync(file, unit);
  const { stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
  expect(stderr.split("\n").filter((line) => line.includes("dt-server.service"))).toEqual([]);
}
