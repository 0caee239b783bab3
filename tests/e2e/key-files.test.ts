import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  geminiChunk,
  geminiStream,
  geminiText,
  openGeminiStandIn,
  openTempWorkspace,
} from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { startServerProcess } from "./support/server-process.js";

const dt = path.resolve(import.meta.dirname, "../../apps/cli/dist/main.js");
const KEY = "k-0123456789-from-a-file";

/** A shell command that prints its own environment and the environment of the agent. */
const PRINT_ENVIRONMENT = "env; tr '\\0' '\\n' < /proc/$PPID/environ; echo printed";

async function openKey(mode: number) {
  const workspace = await openTempWorkspace();
  const file = path.join(workspace.root, "key");
  await writeFile(file, `${KEY}\n`);
  await chmod(file, mode);
  return {
    file,
    root: workspace.root,
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

async function runDt(cwd: string, args: readonly string[], variables: Record<string, string>) {
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH ?? "", HOME: cwd, ...variables };
    const child = execFile(
      process.execPath,
      [dt, ...args],
      { cwd, env, timeout: 300_000 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

test("dt sends the key from a key file to the model, and no environment contains the key [SEC-05]", async () => {
  await using keyFile = await openKey(0o600);
  const call = { name: "run_shell_command", args: { command: PRINT_ENVIRONMENT } };
  await using standIn = await openGeminiStandIn([
    geminiStream([geminiChunk([{ functionCall: call }], { finishReason: "STOP" })]),
    geminiText("done"),
  ]);

  const { code, stdout } = await runDt(keyFile.root, ["-p", "look", "--yolo"], {
    GEMINI_API_KEY_FILE: keyFile.file,
    GOOGLE_GEMINI_BASE_URL: standIn.url,
  });

  const [first, second] = standIn.requests;
  const request = JSON.stringify(second?.body);
  expect({ code, isDone: stdout.includes("done") }).toEqual({ code: 0, isDone: true });
  expect(first?.headers["x-goog-api-key"]).toBe(KEY);
  expect(request).toContain("printed");
  expect(request).not.toContain(KEY);
  // The name of the variable occurs once, because the agent's environment has the variable and the
  // command's environment does not.
  expect(request.split("GEMINI_API_KEY_FILE")).toHaveLength(2);
});

test.each([
  ["GEMINI_API_KEY_FILE", "644", "has mode 644, so others may use it; run chmod 600 on it"],
  ["OPENAI_API_KEY_FILE", "640", "has mode 640, so others may use it; run chmod 600 on it"],
])(
  "dt exits with one error line if %s names a file with mode %s [SEC-05]",
  async (name, mode, problem) => {
    await using keyFile = await openKey(Number.parseInt(mode, 8));

    const ended = await runDt(keyFile.root, ["-p", "say hi"], { [name]: keyFile.file });

    expect(ended).toEqual({
      code: 2,
      stdout: "",
      stderr: `${name}: ${keyFile.file} ${problem}\n`,
    });
  },
);

test("dt-server reads keys from files and refuses files that other users can read [SEC-05]", async () => {
  await using keyFile = await openKey(0o600);
  const environment = {
    DT_DATA_DIR: path.join(keyFile.root, "data"),
    DT_WORKSPACE_ROOTS: keyFile.root,
    CODER_AGENT_PORT: "0",
  };
  const names = ["GEMINI_API_KEY", "OPENAI_API_KEY", "DT_PUSH_SECRET"];
  const files = Object.fromEntries(names.map((name) => [`${name}_FILE`, keyFile.file]));

  await using server = await startServerProcess({ ...environment, ...files });
  const { code } = await server.stop();
  await chmod(keyFile.file, 0o604);

  expect(code).toBe(0);
  for (const name of names) {
    const started = startServerProcess({ ...environment, [`${name}_FILE`]: keyFile.file });
    await expect(started).rejects.toThrow(
      `dt-server ended with 2: ${name}_FILE: ${keyFile.file} has mode 604, so others may use it; run chmod 600 on it\n`,
    );
  }
});
