import type { ToolCall } from "@dt/schema";
import { toToolResult } from "../../tools/tool-result.js";
import type { Workspace } from "../../workspace/workspace.js";
import { CommandError, type CommandOutcome } from "../command.js";
import { hasArgs, insertArguments, type Segment } from "./parse-template.js";
import { readInsertedFile } from "./read-inserted-file.js";

/** A command from a file. */
export interface CustomCommand {
  readonly file: string;
  readonly path: readonly string[];
  readonly segments: readonly Segment[];
  readonly workspace: Workspace;
}

/**
 * Runs the shell commands of a template one by one, inserts files, and prompts the model. Each shell command
 * needs the same permission as a shell command that the model requests. Files are read last, so that the
 * questions depend only on the arguments and are the same after a restart.
 */
export async function runCustomCommand(
  command: CustomCommand,
  args: string,
  outputs: readonly string[] = [],
): Promise<CommandOutcome> {
  const shells = command.segments.filter((segment) => segment.type === "shell");
  const shell = shells[outputs.length];
  if (shell === undefined) {
    return {
      type: "done",
      prompt: [{ type: "text", text: await fillTemplate(command, args, outputs) }],
    };
  }
  const line = insertArguments(shell.command, quote(args));
  const name = `/${command.path.join(" ")}`;
  return {
    type: "ask",
    calls: [
      { toolName: "run_shell_command", input: { command: line, description: `For ${name}` } },
    ],
    async next([call]) {
      if (call?.status === "SUCCEEDED") {
        return await runCustomCommand(command, args, [...outputs, getOutput(call)]);
      }
      if (call?.result?.$case === "error") throw new CommandError(call.result.value.message);
      return { type: "done", say: `${name} was stopped: ${line} was not allowed` };
    },
  };
}

async function fillTemplate(
  { segments, file, workspace }: CustomCommand,
  args: string,
  outputs: readonly string[],
): Promise<string> {
  const remaining = [...outputs];
  const pieces: string[] = [];
  for (const segment of segments) {
    if (segment.type === "text") pieces.push(segment.text);
    else if (segment.type === "args") pieces.push(args);
    else if (segment.type === "shell") pieces.push(remaining.shift() ?? "");
    else {
      const origin = { file, line: segment.line };
      pieces.push(
        await readInsertedFile(insertArguments(segment.path, args), { origin, workspace }),
      );
    }
  }
  const text = pieces.join("").trim();
  return args === "" || hasArgs(segments) ? text : `${text}\n\n${args}`;
}

/** Returns what a shell command printed, without the tool's own notes "exit code: 0" and "(no output)". */
function getOutput(call: ToolCall): string {
  return toToolResult(call)
    .text.replace(/\n?exit code: 0$/, "")
    .replace(/^\(no output\)$/, "");
}

/** Quotes a text as one word of a shell. */
function quote(args: string): string {
  return `'${args.replaceAll("'", "'\\''")}'`;
}
