import { randomUUID } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../../../errors/tool-error.js";
import {
  findShellCover,
  type ShellCover,
  type ShellSetting,
} from "../../../shell/cover/shell-cover.js";
import { parseShellCommand } from "../../../shell/parse-shell-command.js";
import { toFileError } from "../../../workspace/file-error.js";
import { openOutputFile } from "../../../workspace/output-file.js";
import { type ProcessEnd, runProcess } from "../../../workspace/processes/run-process.js";
import type { WorkspacePath } from "../../../workspace/workspace.js";
import { getPlanned } from "../../check-planned.js";
import { openCommandOutput } from "../../command-output.js";
import type { Tool, ToolRun } from "../../tool.js";
import { findCommandFailure } from "./command-failure.js";
import { findShell } from "./find-shell.js";
import { shellInvocation } from "./shell-invocation.js";

/** What commands are run with. */
export interface ShellOptions {
  /** All of the environment of a command; nothing else is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where long output is kept whole. */
  readonly outputDirectory: string;
  /** Is told of each file that output was kept in, with every link resolved. */
  onOutputFile(file: string): void;
}

const defaultTimeoutMs = 600_000;
/** The pacing of live output counts on no command running longer. */
const longestTimeoutMs = 3_600_000;
const mostOutputBytes = 256_000_000;
/** What an update carries beside the call's own fields: ids, state, metadata. */
const envelopeBytes = 1_000;

/** Runs shell commands. */
export function createRunShellCommand(options: ShellOptions): Tool {
  async function noteFile(file: string): Promise<void> {
    // There is none where all of the output is in the result.
    const kept = await realpath(file).catch(() => undefined);
    if (kept !== undefined) options.onOutputFile(kept);
  }

  function coverOf(
    command: string,
    setting: Pick<ShellSetting, "directory" | "workspace" | "parts">,
  ): Promise<ShellCover | undefined> {
    return findShellCover(command, {
      ...setting,
      environment: options.environment,
      platform: process.platform,
    });
  }

  // Nobody was asked about this call, so an earlier answer covers it: where its words lead may have
  // changed since that was found out.
  async function checkCovered(run: ToolRun): Promise<void> {
    if (run.shown !== undefined) return;
    for (const action of getPlanned(run)) {
      if (action.type !== "execute" || action.cover === undefined) continue;
      const cover = await coverOf(action.command, { ...action, workspace: run.workspace });
      if (isDeepStrictEqual(cover, action.cover)) continue;
      throw new ToolError(
        "file_changed",
        "a path in the command now leads elsewhere through a link; nothing was run: try again",
      );
    }
  }

  return {
    name: "run_shell_command",
    description: [
      "Runs a command with bash (sh where there is no bash) and returns what it printed on stdout and stderr, in order, and its exit code; an exit code other than 0 is not an error of the tool.",
      "There is no terminal and no input: pass flags such as --yes instead of answering questions.",
      "The command must run in the foreground and end by itself: whatever it leaves running is ended, and the call fails. Variables and the directory do not carry over to the next call.",
      "Of long output the beginning and the end are returned, and the name of a file with all of it.",
    ].join(" "),
    isReadOnly: false,
    parameters: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, description: "The command line." },
        description: {
          type: "string",
          description: "What the command is for, in one short sentence for the person.",
        },
        directory: {
          type: "string",
          description:
            "Where to run it, absolute or relative to the workspace. Default: the root of the workspace.",
        },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: longestTimeoutMs,
          description: `How long it may run, in milliseconds. Default ${defaultTimeoutMs}, at most ${longestTimeoutMs}.`,
        },
      },
      required: ["command"],
      additionalProperties: false,
    },

    async plan(input, workspace) {
      const command = String(input.command);
      const directory = await workspace.resolve(String(input.directory ?? "."));
      const place = directory.display === "." ? "" : ` in ${directory.display}`;
      const parts = await parseShellCommand(command);
      const cover = await coverOf(command, { directory: directory.absolute, workspace, parts });
      return {
        description: `${input.description ?? "Run"}: ${command}${place}`,
        actions: [
          {
            type: "execute",
            command,
            directory: directory.absolute,
            parts,
            ...(cover !== undefined && { cover }),
          },
        ],
        details: {
          $case: "executeDetails",
          value: { command, workingDirectory: directory.absolute },
        },
      };
    },

    async run(input, run) {
      const directory = await run.workspace.resolve(String(input.directory ?? "."));
      checkApproved(directory, run);
      await checkDirectory(directory);
      await checkCovered(run);
      const file = openOutputFile({
        path: path.join(options.outputDirectory, `${randomUUID()}.log`),
        memoryBytes: 10_000,
      });
      const output = openCommandOutput({
        file,
        print: run.print,
        overheadBytes: envelopeBytes + Buffer.byteLength(JSON.stringify(input)),
        mostBytes: mostOutputBytes,
      });
      const timeoutMs = Number(input.timeout_ms ?? defaultTimeoutMs);
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
          onOutput: (chunk) => output.write(chunk),
        });
      } finally {
        text = await output.finish();
        await noteFile(file.path);
      }
      const failure = findCommandFailure(end, { timeoutMs, mostOutputBytes, file });
      if (failure !== undefined) {
        throw new ToolError(failure.type, `${failure.message}\n\n${describeOutput(text)}`);
      }
      return { result: { $case: "text", value: `${describeOutput(text)}${describeEnd(end)}` } };
    },
  };
}

async function checkDirectory({ absolute, display }: WorkspacePath): Promise<void> {
  const stats = await stat(absolute).catch((error) => {
    throw toFileError(error, display);
  });
  if (stats.isDirectory()) return;
  throw new ToolError("not_a_directory", `${display} is not a directory`);
}

function checkApproved({ absolute }: WorkspacePath, run: ToolRun): void {
  const { shown } = run;
  const seen = shown?.$case === "executeDetails" ? shown.value.workingDirectory : absolute;
  const isPlanned = getPlanned(run).some(
    (action) => action.type === "execute" && action.directory === absolute,
  );
  if (seen === absolute && isPlanned) return;
  throw new ToolError(
    "file_changed",
    "the directory now leads through a link to a place that nobody permitted; nothing was run",
  );
}

function describeOutput(text: string): string {
  if (text === "") return "(no output)\n";
  return text.endsWith("\n") ? text : `${text}\n`;
}

function describeEnd({ exitCode, endedBy }: ProcessEnd): string {
  return endedBy === undefined ? `exit code: ${exitCode}` : `ended by signal ${endedBy}`;
}
