import { type Command, CommandError } from "../commands/command.js";
import { createCommandRegistry } from "../commands/command-registry.js";
import type { Model } from "../model/model.js";
import type { SessionState } from "../record/session-state.js";
import { createToolRegistry, type ToolSource } from "../tools/tool-registry.js";
import type { Workspace } from "../workspace/workspace.js";
import { defaultTurnLimits, type TurnLimits } from "./limits/turn-limits.js";
import { createWorkClock } from "./limits/work-clock.js";
import { runCommandTurn } from "./run-command-turn.js";
import { runTurn } from "./run-turn.js";
import type { EngineTurn, TurnEngine } from "./turn-engine.js";
import type { CheckpointPort, Prelude, TurnScope } from "./turn-scope.js";

/** Parts of a model engine. */
export interface ModelEngineOptions {
  readonly model: Model;
  /** Tools; a function if they come and go, as those of MCP servers do. */
  readonly tools: ToolSource;
  readonly workspace: Workspace;
  /** Slash commands; read each time, since they may change. Default: none. */
  readonly commands?: () => readonly Command[];
  /** Creates the model that `/model NAME` names. Without it the model cannot be changed. */
  readonly createModel?: (name: string) => Model;
  /** Limits of a turn; each has a generous default. */
  readonly limits?: Partial<TurnLimits>;
  /** Instructions for the model, read before each step. */
  readonly system?: () => string;
  /** Calls that come before the first step. */
  readonly prelude?: Prelude;
  /** Resolves when the tools are there; the first step of a turn waits for it. */
  readonly ready?: Promise<void>;
  /** Keeps copies of files before a call changes them. */
  readonly checkpoints?: CheckpointPort;
  /** Milliseconds for measuring how long a turn has worked. */
  readonly nowMs?: () => number;
}

/** Creates the engine that asks a model, runs the tools that it wants, and repeats. */
export function createModelEngine(options: ModelEngineOptions): TurnEngine {
  const { nowMs = () => Date.now(), ready = Promise.resolve() } = options;
  const tools = createToolRegistry(options.tools);
  const commands = createCommandRegistry(options.commands ?? (() => []));
  const limits = { ...defaultTurnLimits, ...options.limits };
  const models = createModelChoice(options);

  function toScope({ stopAtLimit, ...turn }: EngineTurn): TurnScope {
    return {
      ...turn,
      tools,
      limits,
      ready,
      workspace: options.workspace,
      model: models.get(turn.recorder.state),
      setModel: models.check,
      workClock: createWorkClock({ now: nowMs, maxMs: limits.maxWorkMs, onLimit: stopAtLimit }),
      system: options.system,
      checkpoints: options.checkpoints,
      prelude: options.prelude,
    };
  }

  return {
    commands,
    modelName: (state) => models.get(state).name,
    async run(turn) {
      const scope = toScope(turn);
      const command = turn.recorder.state.turn?.prompt.command;
      if (command === undefined) return await runTurn(scope);
      const match = commands.find(command.path, command.args, turn.commandCaller());
      if (match.type === "missing") throw new CommandError(match.reason);
      await runCommandTurn(match.command, command.args, scope);
    },
    isReadOnly: ({ toolName }) => tools.find(toolName)?.isReadOnly === true,
    reviseInput: ({ toolName, inputParameters = {} }, content) =>
      tools.find(toolName)?.revise?.(inputParameters, content),
  };
}

/** Finds the model of a session: the one that `/model` chose, else the first one. */
function createModelChoice({ model, createModel }: ModelEngineOptions) {
  let chosen: { readonly name: string; readonly model: Model } | undefined;

  function create(name: string): Model {
    if (createModel === undefined) throw new CommandError("the model cannot be changed");
    if (chosen?.name !== name) chosen = { name, model: createModel(name) };
    return chosen.model;
  }

  return {
    get({ modelName }: SessionState): Model {
      return modelName === undefined || createModel === undefined ? model : create(modelName);
    },
    /** Throws a CommandError for a name that cannot be used. */
    check(name: string): void {
      create(name);
    },
  };
}
