#!/usr/bin/env node
import { homedir } from "node:os";
import { ModelError, SettingsError } from "@dt/agent-core";
import { parseCliArgs, type RunArgs, UsageError, usage } from "./args.js";
import { composeCli } from "./compose.js";
import { openNodeTerminal } from "./headless/node-terminal.js";
import { runHeadless } from "./headless/run-headless.js";
import { version } from "./version.js";

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const args = parseCliArgs(argv);
    if (args.type === "help") console.log(usage);
    if (args.type === "version") console.log(version);
    return args.type === "run" ? await run(args) : 0;
  } catch (reason) {
    if (!isSetUpFault(reason)) throw reason;
    console.error(reason.message);
    return 2;
  }
}

function isSetUpFault(reason: unknown): reason is Error {
  return (
    reason instanceof UsageError || reason instanceof ModelError || reason instanceof SettingsError
  );
}

async function run({ prompt, model, isYolo }: RunArgs): Promise<number> {
  using terminal = openNodeTerminal();
  await using cli = await composeCli({
    workspacePath: process.cwd(),
    home: homedir(),
    environment: process.env,
    model,
    isYolo,
    onWarning: (warning) => terminal.note(`warning: ${warning}`),
  });
  let isDone = true;
  for await (const text of prompt === undefined ? terminal.prompts() : [prompt]) {
    isDone = await runHeadless(cli, text, terminal);
  }
  return isDone ? 0 : 1;
}
