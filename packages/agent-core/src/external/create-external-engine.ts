import type { ExternalAgent, ExternalTurnEnd, Part } from "@dt/schema";
import type { SessionBudget } from "../budget/session-budget.js";
import { MACHINE_CLOCK } from "../clock.js";
import { type Command, CommandError } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import { ModelError } from "../model/model.js";
import type { ModelPrice } from "../model/model-price.js";
import { findOpenCall, isOpen } from "../record/calls/open-call.js";
import { getRunningPrompt, type SessionState } from "../record/session-state.js";
import { createToolRegistry, type ToolSource } from "../tools/tool-registry.js";
import { abandonAfterAbort } from "../turn/abandon-after-abort.js";
import { toAgentMetadata, toSessionUse } from "../turn/agent-metadata.js";
import { DEFAULT_TURN_LIMITS } from "../turn/limits/turn-limits.js";
import { createWorkClock } from "../turn/limits/work-clock.js";
import { runCommandTurn } from "../turn/run-command-turn.js";
import type { EngineTurn, TurnEngine } from "../turn/turn-engine.js";
import type { CheckpointPort } from "../turn/turn-scope.js";
import { cleanEnvironment } from "../workspace/processes/clean-environment.js";
import type { Sandbox } from "../workspace/processes/sandbox.js";
import type { Workspace } from "../workspace/workspace.js";
import { createAgentConnection } from "./agent-connection.js";
import { createChoiceCommands, toExternalCommands } from "./external-commands.js";
import type { ExternalScope } from "./external-scope.js";
import { createTurnHost } from "./turn-host.js";
import { openTurnUsage } from "./turn-usage.js";

/** Options of {@link createExternalEngine}. */
export interface ExternalEngineOptions {
  readonly agent: ExternalAgent;
  readonly workspace: Workspace;
  /** Environment of the app. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sandbox of the commands that the agent requests. The agent itself is not in it. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Commands of the session. A command of the agent is added unless the session has a command of the same name. */
  readonly commands?: () => readonly Command[];
  /** Tools of the session's commands. The agent does not get them. Default: none. */
  readonly tools?: ToolSource;
  readonly checkpoints?: CheckpointPort;
  /** Returns false for a tool that the server's policy forbids. Default: every tool is allowed. */
  readonly isToolAllowed?: (name: string) => boolean;
  /** The budgets of the session. A turn stops when the use that the agent reports reaches a limit. Default: none. */
  readonly budget?: SessionBudget | undefined;
  /** Prices by the name of the model, for an agent that reports tokens and no cost. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Maximum working time of a turn, in milliseconds. Default: that of {@link DEFAULT_TURN_LIMITS}. */
  readonly maxWorkMs?: number | undefined;
  /** Monotonic clock in milliseconds. Default: the clock of this machine. */
  readonly elapsedMs?: () => number;
}

/** An engine whose turns an external agent runs. Closing it ends the agent's process. */
export interface ExternalEngine extends TurnEngine {
  close(): Promise<void>;
}

/** Creates the engine. The agent's process starts with the first turn. */
export function createExternalEngine(options: ExternalEngineOptions): ExternalEngine {
  const { agent, workspace, elapsedMs = MACHINE_CLOCK.elapsedMs } = options;
  const { maxWorkMs = DEFAULT_TURN_LIMITS.maxWorkMs } = options;
  const connection = createAgentConnection({
    agent,
    workspacePath: workspace.root,
    environment: options.environment,
    elapsedMs,
  });
  const tools = createToolRegistry(options.tools ?? []);
  const commands = createCommandRegistry(() =>
    toExternalCommands(
      [...(options.commands?.() ?? []), ...createChoiceCommands(agent.name, connection)],
      connection.offer(),
    ),
  );
  const prices = new Map(Object.entries(options.prices ?? {}));
  const modelName = () => connection.offer()?.modelId ?? agent.name;

  function toScope({ stopAtLimit, ...turn }: EngineTurn): ExternalScope {
    return {
      ...turn,
      agentName: agent.name,
      tools,
      workspace,
      environment: cleanEnvironment(options.environment),
      sandbox: options.sandbox,
      checkpoints: options.checkpoints,
      isToolAllowed: options.isToolAllowed ?? (() => true),
      workClock: createWorkClock({ now: elapsedMs, maxMs: maxWorkMs, onLimit: stopAtLimit }),
    };
  }

  async function runPrompt(
    parts: readonly Part[],
    scope: ExternalScope,
    stop: () => void,
  ): Promise<void> {
    const { recorder, signal } = scope;
    await announceLate(scope);
    const usage = await openTurnUsage(scope, {
      budget: options.budget,
      price: () => prices.get(modelName()),
      modelName,
      stop,
    });
    const { session, warning } = await connection.open(recorder, signal);
    if (warning !== undefined) await warn(warning, scope);
    const host = createTurnHost(scope, usage);
    connection.setHost(host);
    let reason = `${agent.name} ended its turn without a result of this call`;
    let end: ExternalTurnEnd | undefined;
    try {
      const prompting = scope.workClock.measure(() => session.prompt(parts, signal));
      end = await abandonAfterAbort(prompting, signal);
    } catch (fault) {
      reason = fault instanceof Error ? fault.message : String(fault);
      // An agent that does not stop, or whose connection is broken, cannot be used again.
      await connection.close();
      throw usage.stopped === undefined ? fault : new ModelError(usage.stopped);
    } finally {
      connection.setHost(undefined);
      await host.end(reason);
      await usage.end({ text: host.text(), usage: end?.usage });
    }
    if (usage.stopped !== undefined) throw new ModelError(usage.stopped);
    if (!signal.aborted) checkEnd(end.reason, agent.name);
  }

  async function announceLate(scope: ExternalScope): Promise<void> {
    const count = connection.takeLate();
    if (count === 0) return;
    const what = count === 1 ? "a message" : `${count} messages`;
    await warn(`${agent.name} sent ${what} after its turn had ended; dt ignored them`, scope);
  }

  return {
    commands,
    modelName,
    metadata: (state) => ({
      ...toAgentMetadata(modelName(), [], []),
      ...toSessionUse(state),
      ...(options.budget !== undefined && { budgets: options.budget.lastUse }),
    }),
    async run(turn) {
      const scope = toScope(turn);
      await endForeignCalls(scope);
      const { command, parts } = getRunningPrompt(turn.recorder.state);
      if (command === undefined) return await runPrompt(parts, scope, turn.stopAtLimit);
      const match = commands.find(command.path, command.args, turn.commandCaller());
      if (match.type === "unavailable") throw new CommandError(match.reason);
      await runCommandTurn(match.command, command.args, {
        ...scope,
        checkModel() {
          throw new CommandError(`${agent.name} has its own models; /model lists them`);
        },
        compact: async () => false,
        runPrompt: async () =>
          await runPrompt(lastPrompt(turn.recorder.state), scope, turn.stopAtLimit),
      });
    },
    isReadOnly: () => true,
    reviseInput: () => undefined,
    close: connection.close,
  };
}

async function warn(message: string, { recorder }: ExternalScope): Promise<void> {
  await recorder.commit({ events: [{ kind: "WARNING", warning: { message } }] });
}

/** Ends calls that our own model requested before the session got this agent. */
async function endForeignCalls({ recorder, agentName }: ExternalScope): Promise<void> {
  const error = { message: `the session continues with ${agentName}`, type: "interrupted" };
  for (const { toolCall } of recorder.state.turn?.calls.filter(isOpen) ?? []) {
    const { toolCallId } = toolCall;
    if (findOpenCall(recorder.state.turn, toolCallId) === undefined) continue;
    await recorder.advance({ toolCallId, step: { type: "fail", error } });
  }
}

/** Returns the prompt that a command has added to the conversation, or that a retry repeats. */
function lastPrompt({ history }: SessionState): readonly Part[] {
  const last = history.findLast(({ role }) => role === "user");
  return last?.role === "user" ? last.parts : [];
}

function checkEnd(reason: ExternalTurnEnd["reason"], agent: string): void {
  switch (reason) {
    case "ended":
      return;
    case "cancelled":
      throw new Error(`${agent} cancelled the turn by itself`);
    case "max-tokens":
      throw new Error(`${agent} stopped because it reached its limit of tokens`);
    case "max-requests":
      throw new Error(`${agent} stopped because it reached its limit of requests to its model`);
    case "refused":
      throw new Error(`${agent} refused to continue; change the prompt`);
  }
}
