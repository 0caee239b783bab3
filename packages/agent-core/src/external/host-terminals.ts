import type {
  ExternalHostReply,
  ExternalTerminal,
  TerminalEnd,
  TerminalRequest,
  ToolCall,
} from "@dt/schema";
import { quoteWord } from "../shell/quote-word.js";
import type { GrantedCall, ReportedCalls } from "./calls/reported-calls.js";
import { runExternalCall, runInside } from "./calls/run-call.js";
import type { ExternalScope } from "./external-scope.js";
import { createTerminalTool } from "./terminal-tool.js";

/** Runs commands for an external agent. The policy judges each command. */
export interface HostTerminals {
  start(
    request: TerminalRequest,
    signal: AbortSignal,
  ): Promise<ExternalHostReply<ExternalTerminal>>;
  /** Ends all commands. */
  end(): Promise<void>;
}

/** Maximum number of commands that run at the same time. */
const MAX_TERMINALS = 16;

/** Creates the runner for the commands of one turn. */
export function createHostTerminals(scope: ExternalScope, calls: ReportedCalls): HostTerminals {
  const running = new Map<AbortController, Promise<unknown>>();

  function runTerminal(
    request: TerminalRequest,
    signal: AbortSignal,
  ): Promise<ExternalHostReply<ExternalTerminal>> {
    const stopping = new AbortController();
    return new Promise((resolve, reject) => {
      let finish = (_end: TerminalEnd) => {};
      const ended = new Promise<TerminalEnd>((settle) => {
        finish = settle;
      });
      const tool = createTerminalTool({
        request,
        environment: scope.environment,
        sandbox: scope.sandbox,
        signal: stopping.signal,
        onStart(output) {
          const kill = async () => {
            stopping.abort();
            await ended;
          };
          resolve({ isDone: true, value: { output, ended, kill } });
        },
        onEnd: finish,
      });
      const call = toCall(request, scope);
      const work = coverOf(request)
        .then((cover) =>
          cover === undefined
            ? runExternalCall({ call, tool, signal }, scope)
            : runInside(cover, tool, call.inputParameters ?? {}),
        )
        .then((end) => {
          finish({});
          if (end.type === "ran") return;
          const fault = end.type === "refused" ? "refused" : "failed";
          resolve({ isDone: false, fault, message: end.message });
        }, reject)
        .finally(() => running.delete(stopping));
      running.set(stopping, work);
    });
  }

  /**
   * Finds a permitted call of the agent that plans exactly this command in this directory. Such a call covers
   * the command.
   */
  async function coverOf(request: TerminalRequest): Promise<GrantedCall | undefined> {
    const command = toCommandLine(request);
    const directory = (await scope.workspace.resolve(request.directory ?? ".")).absolute;
    return calls
      .granted()
      .find(({ run }) =>
        run.planned?.some(
          (action) =>
            action.type === "execute" &&
            action.command === command &&
            action.directory === directory,
        ),
      );
  }

  return {
    async start(request, signal) {
      if (running.size >= MAX_TERMINALS) {
        const message = `at most ${MAX_TERMINALS} commands run at the same time; wait for one to end`;
        return { isDone: false, fault: "failed", message };
      }
      return await runTerminal(request, signal);
    },
    async end() {
      for (const stopping of running.keys()) stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** Returns the line for the shell that runs a command with its variables. */
export function toCommandLine({ command, args, variables }: TerminalRequest): string {
  const assignments = Object.entries(variables).map(
    ([name, value]) => `${name}=${quoteWord(value)}`,
  );
  const words = args.length === 0 ? [command] : [command, ...args].map(quoteWord);
  return [...assignments, ...words].join(" ");
}

function toCall(request: TerminalRequest, { createId }: ExternalScope): ToolCall {
  const { directory } = request;
  return {
    toolCallId: createId(),
    toolName: "run_shell_command",
    status: "PENDING",
    inputParameters: {
      command: toCommandLine(request),
      ...(directory !== undefined && { directory }),
    },
    result: undefined,
  };
}
