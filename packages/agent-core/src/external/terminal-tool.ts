import type { TerminalEnd, TerminalOutput, TerminalRequest } from "@dt/schema";
import { checkApproved, checkDirectory } from "../tools/builtin/shell/check-command.js";
import { findShell } from "../tools/builtin/shell/find-shell.js";
import { createRunShellCommand } from "../tools/builtin/shell/run-shell-command.js";
import { shellInvocation } from "../tools/builtin/shell/shell-invocation.js";
import { openLiveUpdates } from "../tools/live-updates.js";
import type { Tool } from "../tools/tool.js";
import { runProcess } from "../workspace/processes/run-process.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import { createControlStripper } from "../workspace/text/strip-control.js";

/** Options of {@link createTerminalTool}. */
export interface TerminalToolOptions {
  readonly request: TerminalRequest;
  /** The complete environment of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sandbox in which the command runs. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Ends the command when it aborts. */
  readonly signal: AbortSignal;
  /** Called when the command starts. `output` returns the output of the command so far. */
  onStart(output: () => TerminalOutput): void;
  onEnd(end: TerminalEnd): void;
}

/** Default and maximum size of the output that is kept, in characters. The beginning of a longer output is dropped. */
const MAX_OUTPUT = 1_000_000;
/** Maximum size of the output in live updates, in characters. */
const LIVE_SIZE = 4_000;
/** Maximum size of the output in the result of the call, in characters. */
const RESULT_SIZE = 32_000;
/** Estimated size of a live update without its text and input, in bytes. */
const ENVELOPE_BYTES = 1_000;
const TIMEOUT_MS = 3_600_000;

/** Creates the tool that runs one command of an external agent. It plans the command as `run_shell_command` does. */
export function createTerminalTool(options: TerminalToolOptions): Tool {
  const { environment, request, sandbox, signal } = options;
  const shellTool = createRunShellCommand({
    environment,
    outputDirectory: "",
    sandbox,
    onOutputFile: () => {},
  });
  const maxSize = Math.min(request.outputBytes ?? MAX_OUTPUT, MAX_OUTPUT);
  return {
    ...shellTool,
    async run(input, run) {
      const directory = await run.workspace.resolve(String(input.directory ?? "."));
      checkApproved(directory, run, sandbox?.isolation);
      await checkDirectory(directory);
      const output = createKeptOutput(maxSize);
      const live = openLiveUpdates({
        text: () => output.read().text.slice(-LIVE_SIZE),
        print: run.print,
        overheadBytes: ENVELOPE_BYTES + JSON.stringify(input).length,
      });
      let end: TerminalEnd | undefined;
      options.onStart(() => ({ ...output.read(), ...(end !== undefined && { end }) }));
      const shell = await findShell(environment, run.workspace);
      try {
        const { exitCode, endedBy } = await runProcess({
          ...shellInvocation(String(input.command), { platform: process.platform, shell }),
          directory: directory.absolute,
          environment,
          signal: AbortSignal.any([run.signal, signal]),
          mark: run.mark,
          timeoutMs: TIMEOUT_MS,
          sandbox,
          async onOutput(chunk) {
            output.add(chunk);
            live.changed();
            return undefined;
          },
        });
        end = {
          ...(exitCode !== undefined && { exitCode }),
          ...(endedBy !== undefined && { endedBy }),
        };
      } finally {
        live.close();
        options.onEnd(end ?? {});
      }
      const how =
        end.endedBy === undefined
          ? `exit code: ${end.exitCode ?? "unknown"}`
          : `ended by signal ${end.endedBy}`;
      const text = output.read().text.slice(-RESULT_SIZE);
      const value = text === "" || text.endsWith("\n") ? `${text}${how}` : `${text}\n${how}`;
      return { result: { $case: "text", value } };
    },
  };
}

/** Creates a buffer that keeps the last `maxSize` characters of an output, without terminal control sequences. */
function createKeptOutput(maxSize: number) {
  const stripper = createControlStripper();
  let text = "";
  let isCut = false;
  return {
    add(chunk: Buffer): void {
      text += stripper.write(chunk);
      if (text.length <= maxSize) return;
      text = text.slice(-maxSize);
      isCut = true;
    },
    read: () => ({ text: text + stripper.line, isCut }),
  };
}
