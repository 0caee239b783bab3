import type { SessionBudget } from "../budget/session-budget.js";
import { withBudget } from "../budget/with-budget.js";
import { MACHINE_CLOCK } from "../clock.js";
import { type Command, CommandError } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import type { McpServerReport } from "../mcp/mcp-manager.js";
import type { Model } from "../model/model.js";
import type { ModelPrice } from "../model/model-price.js";
import type { SessionState } from "../record/session-state.js";
import { announceWarnings } from "../record/warning-records.js";
import { createToolRegistry, type ToolSource } from "../tools/tool-registry.js";
import type { Workspace } from "../workspace/workspace.js";
import { toAgentMetadata, toSessionUse } from "./agent-metadata.js";
import { reviseNestedInput } from "./calls/ask-nested-question.js";
import { compactHistory } from "./compact-history.js";
import { DEFAULT_TURN_LIMITS, type TurnLimits } from "./limits/turn-limits.js";
import { createWorkClock } from "./limits/work-clock.js";
import { runCommandTurn } from "./run-command-turn.js";
import { runTurn } from "./run-turn.js";
import type { EngineTurn, TurnEngine } from "./turn-engine.js";
import type { CheckpointPort, Prelude, TurnScope } from "./turn-scope.js";

/** Options of {@link createModelEngine}. */
export interface ModelEngineOptions {
  readonly model: Model;
  /** The tools; a function if the tools can change, for example when an MCP server connects. */
  readonly tools: ToolSource;
  readonly workspace: Workspace;
  /** Returns the status of the MCP servers. Default: there are none. */
  readonly mcpServers?: () => readonly McpServerReport[];
  /** Returns the slash commands. Called for each use, because they may change. Default: no commands. */
  readonly commands?: () => readonly Command[];
  /**
   * Creates the model that `/model NAME` chooses. Without this function the model cannot be changed.
   */
  readonly createModel?: (name: string) => Model;
  /**
   * Returns false for a model that may no longer be used. A session that chose such a model earlier uses `model`.
   */
  readonly isModelAllowed?: (name: string) => boolean;
  /** Limits of a turn. Default: {@link DEFAULT_TURN_LIMITS}. */
  readonly limits?: Partial<TurnLimits> | undefined;
  /** Prices by the name of the model. The cost of a model without a price is not reported. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** The budgets of the session. Default: none. */
  readonly budget?: SessionBudget | undefined;
  /** Returns the instructions for the model. Called before each step. */
  readonly system?: () => string;
  /** Tool calls that run before the first request to the model. */
  readonly prelude?: Prelude;
  /** Resolves when the tools are available. Each turn waits for this promise before its first step. */
  readonly ready?: Promise<void>;
  /** Saves copies of files before a call changes them. */
  readonly checkpoints?: CheckpointPort;
  /** Monotonic clock in milliseconds, for the working time. Default: the clock of this machine. */
  readonly elapsedMs?: () => number;
}

/** Creates the engine that asks a model and runs the requested tools, until the model requests none. */
export function createModelEngine(options: ModelEngineOptions): TurnEngine {
  const { elapsedMs = MACHINE_CLOCK.elapsedMs, ready = Promise.resolve() } = options;
  const tools = createToolRegistry(options.tools);
  const commands = createCommandRegistry(options.commands ?? (() => []));
  const limits = { ...DEFAULT_TURN_LIMITS, ...options.limits };
  const models = createModelChoice(options);
  const prices = new Map(Object.entries(options.prices ?? {}));
  const priceOf = (modelName: string) => prices.get(modelName);

  // Returns the model of a turn. If the budgets have limits for the prompt, the model is wrapped to keep them.
  function toTurnModel({ recorder }: Pick<EngineTurn, "recorder">): Model {
    const { budget } = options;
    const model = models.get(recorder.state);
    const limits = budget?.limitsFor(recorder.state.turn?.prompt);
    if (budget === undefined || limits === undefined) return model;
    return withBudget(model, {
      budget,
      limits,
      price: priceOf(model.name),
      contextTokens: () => recorder.state.contextTokens,
      announce: (warnings) => announceWarnings(recorder, warnings),
    });
  }

  function toScope({ stopAtLimit, ...turn }: EngineTurn): TurnScope {
    return {
      ...turn,
      tools,
      limits,
      ready,
      workspace: options.workspace,
      model: toTurnModel(turn),
      priceOf,
      workClock: createWorkClock({ now: elapsedMs, maxMs: limits.maxWorkMs, onLimit: stopAtLimit }),
      system: options.system,
      checkpoints: options.checkpoints,
      prelude: options.prelude,
    };
  }

  return {
    commands,
    modelName: (state) => models.get(state).name,
    metadata: (state) => ({
      ...toAgentMetadata(models.get(state).name, options.mcpServers?.() ?? [], tools.list()),
      ...toSessionUse(state),
      ...(options.budget !== undefined && { budgets: options.budget.lastUse }),
    }),
    async run(turn) {
      const scope = toScope(turn);
      const command = turn.recorder.state.turn?.prompt.command;
      if (command === undefined) return await runTurn(scope);
      const match = commands.find(command.path, command.args, turn.commandCaller());
      if (match.type === "unavailable") throw new CommandError(match.reason);
      await runCommandTurn(match.command, command.args, {
        ...scope,
        checkModel: models.check,
        runPrompt: () => runTurn(scope),
        compact: () => compactHistory(scope, { minItems: 2 }),
      });
    },
    isReadOnly: ({ toolName }) => tools.find(toolName)?.isReadOnly === true,
    reviseInput(call, content) {
      const tool = tools.find(call.toolName);
      // The question of a called agent is a call of a tool that is not ours.
      if (tool === undefined) return reviseNestedInput(call, content);
      return tool.revise?.(call.inputParameters ?? {}, content);
    },
  };
}

/**
 * Selects the model of a session: the model that `/model` chose, or else the model in the options. Without
 * `createModel`, it is always the model in the options.
 */
function createModelChoice({ model, createModel, isModelAllowed }: ModelEngineOptions) {
  let chosen: { readonly name: string; readonly model: Model } | undefined;

  function create(name: string): Model {
    if (createModel === undefined) throw new CommandError("the model cannot be changed");
    if (chosen?.name !== name) chosen = { name, model: createModel(name) };
    return chosen.model;
  }

  return {
    get({ modelName }: SessionState): Model {
      if (modelName === undefined || createModel === undefined) return model;
      return isModelAllowed?.(modelName) === false ? model : create(modelName);
    },
    /** Throws if no model of that name can be created. */
    check(name: string): void {
      create(name);
    },
  };
}
