#!/usr/bin/env node
import { ModelError } from "@dt/agent-core";
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
    if (!(reason instanceof UsageError || reason instanceof ModelError)) throw reason;
    console.error(reason.message);
    return 2;
  }
}

async function run({ prompt, model, isYolo }: RunArgs): Promise<number> {
  await using cli = await composeCli({
    workspacePath: process.cwd(),
    environment: process.env,
    model,
    isYolo,
  });
  using terminal = openNodeTerminal();
  let isDone = true;
  for await (const text of prompt === undefined ? terminal.prompts() : [prompt]) {
    isDone = await runHeadless(cli, text, terminal);
  }
  return isDone ? 0 : 1;
}
