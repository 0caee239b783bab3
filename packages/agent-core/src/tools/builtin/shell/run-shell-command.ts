import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../../errors/tool-error.js";
import { findShellCover } from "../../../shell/cover/shell-cover.js";
import { parseShellCommand } from "../../../shell/parse-shell-command.js";
import { openOutputFile } from "../../../workspace/output-file.js";
import { type ProcessEnd, runProcess } from "../../../workspace/processes/run-process.js";
import { describeIsolation, type Sandbox } from "../../../workspace/processes/sandbox.js";
import { openCommandOutput } from "../../command-output.js";
import type { Tool } from "../../tool.js";
import { checkApproved, checkCovered, checkDirectory, type FindCover } from "./check-command.js";
import { findCommandFailure } from "./command-failure.js";
import { findShell } from "./find-shell.js";
import { DEFAULT_TIMEOUT_MS, SHELL_DECLARATION } from "./shell-declaration.js";
import { shellInvocation } from "./shell-invocation.js";

/** Options of {@link createRunShellCommand}. */
export interface ShellOptions {
  /** The complete environment of a command; nothing else is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Directory for files with the complete output of commands that print too much for the result. */
  readonly outputDirectory: string;
  /** Called with the resolved path of each output file. */
  onOutputFile(file: string): void;
  /**
   * Monotonic clock in milliseconds, for timeouts and live output. Default: the clock of this
   * machine.
   */
  readonly elapsedMs?: (() => number) | undefined;
  /** Sandbox in which commands run. Default: none. */
  readonly sandbox?: Sandbox | undefined;
}

const MAX_OUTPUT_BYTES = 256_000_000;
/** Estimated size of the fields that a live update has besides the tool call: ids, state and metadata. */
const ENVELOPE_BYTES = 1_000;

/** Creates the tool that runs shell commands. */
export function createRunShellCommand(options: ShellOptions): Tool {
  const isolation = options.sandbox?.isolation;

  async function reportFile(file: string): Promise<void> {
    // If the result contains the complete output, no file exists.
    const stored = await realpath(file).catch(() => undefined);
    if (stored !== undefined) options.onOutputFile(stored);
  }

  const findCover: FindCover = (command, context) =>
    findShellCover(command, {
      ...context,
      environment: options.environment,
      platform: process.platform,
    });

  return {
    ...SHELL_DECLARATION,

    async plan(input, workspace) {
      const command = String(input.command);
      const directory = await workspace.resolve(String(input.directory ?? "."));
      const place = directory.display === "." ? "" : ` in ${directory.display}`;
      const suffix = isolation === undefined ? place : `${place}, ${describeIsolation(isolation)}`;
      const parts = await parseShellCommand(command);
      const cover = await findCover(command, { directory: directory.absolute, workspace, parts });
      return {
        description: `${input.description ?? "Run"}: ${command}${suffix}`,
        actions: [
          {
            type: "execute",
            command,
            directory: directory.absolute,
            parts,
            ...(cover !== undefined && { cover }),
            ...(isolation !== undefined && { isolation }),
          },
        ],
        details: {
          $case: "executeDetails",
          value: { command, workingDirectory: directory.absolute },
        },
        ...(isolation !== undefined && { note: `Runs ${describeIsolation(isolation)}.` }),
      };
    },

    async run(input, run) {
      const directory = await run.workspace.resolve(String(input.directory ?? "."));
      checkApproved(directory, run, isolation);
      await checkDirectory(directory);
      await checkCovered(run, findCover);
      const file = openOutputFile({
        path: path.join(options.outputDirectory, `${randomUUID()}.log`),
        memoryBytes: 10_000,
      });
      const output = openCommandOutput({
        file,
        print: run.print,
        overheadBytes: ENVELOPE_BYTES + Buffer.byteLength(JSON.stringify(input)),
        maxBytes: MAX_OUTPUT_BYTES,
        elapsedMs: options.elapsedMs,
      });
      const timeoutMs = Number(input.timeout_ms ?? DEFAULT_TIMEOUT_MS);
      const shell = await findShell(options.environment, run.workspace);
      let text = "";
      let end: ProcessEnd;
      try {
        end = await runProcess({
          ...shellInvocation(String(input.command), { platform: process.platform, shell }),
          directory: directory.absolute,
          environment: options.environment,
          signal: run.signal,
          mark: run.mark,
          timeoutMs,
          elapsedMs: options.elapsedMs,
          sandbox: options.sandbox,
          onOutput: (chunk) => output.write(chunk),
        });
      } finally {
        text = await output.finish();
        await reportFile(file.path);
      }
      const failure = findCommandFailure(end, {
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        file,
      });
      if (failure !== undefined) {
        throw new ToolError(failure.type, `${failure.message}\n\n${describeOutput(text)}`);
      }
      return { result: { $case: "text", value: `${describeOutput(text)}${describeEnd(end)}` } };
    },
  };
}

function describeOutput(text: string): string {
  if (text === "") return "(no output)\n";
  return text.endsWith("\n") ? text : `${text}\n`;
}

function describeEnd({ exitCode, endedBy }: ProcessEnd): string {
  return endedBy === undefined ? `exit code: ${exitCode}` : `ended by signal ${endedBy}`;
}
