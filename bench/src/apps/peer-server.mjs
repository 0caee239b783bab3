import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { streamBody } from "../rpc.mjs";
import { startApp } from "./app-process.mjs";

const PACKAGE = "@google/gemini-cli-a2a-server";
const VERSION = "0.25.2";

/**
 * Installs gemini-cli's A2A server into a temporary directory. In the result, `start` starts the server
 * with a stand-in as its model, and `close` removes the directory.
 */
export function installPeer() {
  const directory = mkdtempSync(path.join(tmpdir(), "dt-bench-peer-"));
  writeFileSync(path.join(directory, "package.json"), '{ "private": true }\n');
  process.stderr.write(`installing ${PACKAGE} ${VERSION} … `);
  const args = ["install", "--no-audit", "--no-fund", "--omit=optional", `${PACKAGE}@${VERSION}`];
  const { status, stderr } = spawnSync("npm", args, { cwd: directory, encoding: "utf8" });
  if (status !== 0) throw new Error(`${PACKAGE} could not be installed: ${stderr}`);
  process.stderr.write("done\n");
  const main = findMain(path.join(directory, "node_modules", PACKAGE));
  return {
    start: ({ model, hasProbe }) => startPeer(main, model, hasProbe),
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function findMain(directory) {
  const { bin } = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
  return path.join(directory, typeof bin === "string" ? bin : Object.values(bin)[0]);
}

async function startPeer(main, model, hasProbe) {
  return await startApp({
    name: "peer",
    main,
    hasProbe,
    environment: () => ({ ...model.environment, GIT_CONFIG_GLOBAL: "/dev/null" }),
    toBody: (prompt, { workspacePath, taskId, autoExecute }) =>
      streamBody(prompt, {
        taskId,
        metadata: {
          coderAgent: {
            kind: "agent-settings",
            workspacePath,
            ...(autoExecute && { autoExecute: true }),
          },
        },
      }),
  });
}
