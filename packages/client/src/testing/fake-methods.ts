import {
  type ExecuteSlashCommandResponse,
  type ExtensionUris,
  encodeMessage,
  isTerminalState,
  type Origin,
  ProtocolError,
  parseMessage,
  type SlashCommand,
  type TaskView,
} from "@dt/schema";
import {
  decodeClientMessage,
  decodeFollowParams,
  decodeListParams,
  decodeSendParams,
  decodeTaskParams,
  encodeTaskPage,
  findOperation,
  type Operation,
  type RpcRequest,
  spellings,
  toTaskState,
} from "@dt/schema/wire";
import type { WallClock } from "../transport/wall-clock.js";
import {
  activationOf,
  type FakeDialect,
  type FakeFrame,
  spellTask,
  taskFrame,
} from "./fake-frames.js";
import { createFakeSession, type FakeSession } from "./fake-session.js";
import { type FakeDelivery, sessionFrames, taskFrames, turnFrames } from "./fake-streams.js";
import type { FakeScript } from "./fake-turn.js";

/** Result of a method of a fake agent. */
export type FakeOutcome =
  | { readonly type: "result"; readonly result: unknown }
  | { readonly type: "stream"; readonly frames: AsyncIterable<FakeFrame> };

/** Data that the transport adds to a call: headers, cursor, sender and signal. */
export interface FakeCall {
  /** Value of the A2A-Version header. */
  readonly version: string | undefined;
  readonly extensions: readonly string[];
  readonly after: string | undefined;
  readonly origin: Origin;
  readonly signal: AbortSignal;
}

/** Dependencies of the methods of a fake agent. */
export interface FakeMethodsOptions {
  readonly script: FakeScript;
  readonly uris: ExtensionUris;
  /** True if the agent has our session extension. */
  readonly hasSession: boolean;
  readonly commands: readonly SlashCommand[];
  /** Reactions to slash commands. The key is the path of the command, joined with blanks. */
  readonly commandScripts: Readonly<Record<string, FakeScript>>;
  readonly now: WallClock;
}

/** Replies to requests like an agent, through the codecs of our server. */
export type FakeMethods = (request: RpcRequest, call: FakeCall) => Promise<FakeOutcome>;

/** Creates the methods of one fake agent. */
export function createFakeMethods(options: FakeMethodsOptions): FakeMethods {
  const sessions: FakeSession[] = [];
  const deliveries = new Map<string, FakeDelivery>();
  let ids = 0;

  function nextId(kind: string): string {
    ids += 1;
    return `${kind}-${ids}`;
  }

  function openSession(contextId: string, script: FakeScript): FakeSession {
    const session = createFakeSession(contextId, script, options.now);
    sessions.push(session);
    return session;
  }

  function getTask(taskId: string): { readonly session: FakeSession; readonly view: TaskView } {
    for (const session of sessions) {
      const view = session.log.findView(taskId);
      if (view !== undefined) return { session, view };
    }
    throw new ProtocolError("task-not-found", `there is no task ${taskId}`);
  }

  /** Accepts a message. If its id was accepted before, returns the earlier delivery. */
  function deliver(params: unknown, dialect: FakeDialect, { origin }: FakeCall): FakeDelivery {
    const { message } = decodeSendParams(params, dialect.spelling);
    const known = deliveries.get(message.messageId);
    if (known !== undefined) return known;
    const content = decodeClientMessage(message, options.uris);
    const target =
      content.type === "prompt" ? targetOfPrompt(message, dialect) : targetOfAnswer(message);
    const { session, taskId } = target;
    const delivery = { ...target, messageId: message.messageId, after: session.log.size };
    if (content.type === "prompt") {
      session.prompt({ taskId, messageId: message.messageId, parts: content.parts, origin });
    } else {
      session.answer(content.confirmations, origin);
    }
    deliveries.set(message.messageId, delivery);
    return delivery;
  }

  function targetOfAnswer({ taskId }: Address): FakeTarget {
    if (taskId === undefined) {
      throw new ProtocolError("invalid-message", "message.taskId: an answer must name its task");
    }
    return { session: getTask(taskId).session, taskId, isNewTask: false };
  }

  function targetOfPrompt({ taskId, contextId }: Address, { spelling }: FakeDialect): FakeTarget {
    if (taskId === undefined) {
      const existing = sessions.find((session) => session.contextId === contextId);
      const session = existing ?? openSession(contextId ?? nextId("context"), options.script);
      return { session, taskId: nextId("task"), isNewTask: true };
    }
    const { session, view } = getTask(taskId);
    if (isTerminalState(view.state) && spelling.version === "1.0") {
      throw new ProtocolError("unsupported-operation", `the task ${taskId} is ${view.state}`);
    }
    return { session, taskId, isNewTask: false };
  }

  function execute(params: unknown, { origin }: FakeCall): FakeOutcome {
    const { commandPath, contextId, args } = parseMessage("ExecuteSlashCommandRequest", params);
    const name = commandPath.join(" ");
    const script = options.commandScripts[name];
    if (script === undefined) {
      const message = `there is no command /${name}`;
      return commandResult({ executionId: "", status: "FAILED_TO_START", message });
    }
    const taskId = nextId("task");
    const existing = sessions.find((session) => session.contextId === contextId);
    const session = existing ?? openSession(contextId ?? nextId("context"), options.script);
    const parts = [{ type: "text" as const, text: args }];
    session.prompt({ taskId, messageId: nextId("message"), parts, origin, script });
    return commandResult({ executionId: taskId, status: "STARTED", message: "" });
  }

  function list(params: unknown, dialect: FakeDialect): FakeOutcome {
    const { spelling } = dialect;
    const {
      contextId,
      state,
      pageSize,
      pageToken = "0",
      ...rest
    } = decodeListParams(params, spelling);
    const { historyLength = 0 } = rest;
    const views = sessions
      .flatMap(({ log }) => log.views())
      .filter((view) => contextId === undefined || view.contextId === contextId)
      .filter((view) => state === undefined || view.state === toTaskState(state));
    const start = Number(pageToken);
    const end = start + pageSize;
    const page = {
      tasks: views.slice(start, end).map((view) => spellTask(view, dialect, historyLength)),
      pageSize,
      totalSize: views.length,
      ...(end < views.length && { nextPageToken: String(end) }),
    };
    return { type: "result", result: encodeTaskPage(page) };
  }

  type Method = (
    params: unknown,
    dialect: FakeDialect,
    call: FakeCall,
  ) => FakeOutcome | Promise<FakeOutcome>;
  const methods: Readonly<Partial<Record<Operation, Method>>> = {
    stream: (params, dialect, call) => ({
      type: "stream",
      frames: turnFrames(deliver(params, dialect, call), dialect, call.signal),
    }),
    async send(params, dialect, call) {
      const delivery = deliver(params, dialect, call);
      for await (const _ of turnFrames(delivery, dialect, call.signal));
      return { type: "result", result: taskFrame(getTask(delivery.taskId).view, dialect).result };
    },
    subscribe(params, dialect, call) {
      const { session, view } = getTask(decodeTaskParams(params).taskId);
      const after = options.hasSession ? call.after : undefined;
      if (after !== undefined) session.log.positionOf(after);
      const frames = taskFrames(session, view, dialect, { after, signal: call.signal });
      return { type: "stream", frames };
    },
    "follow-session"(params, dialect, call) {
      const { contextId, untilIdle } = decodeFollowParams(params);
      const session = sessions.find((each) => each.contextId === contextId);
      if (!options.hasSession || session === undefined) {
        throw new ProtocolError("task-not-found", `context_id: there is no session ${contextId}`);
      }
      const after =
        call.after === undefined ? session.log.size : session.log.positionOf(call.after);
      const frames = sessionFrames(session, dialect, { after, untilIdle, signal: call.signal });
      return { type: "stream", frames };
    },
    get(params, dialect) {
      const { view } = getTask(decodeTaskParams(params).taskId);
      return { type: "result", result: spellTask(view, dialect) };
    },
    cancel(params, dialect) {
      const { taskId } = decodeTaskParams(params);
      if (!getTask(taskId).session.cancel(taskId)) {
        throw new ProtocolError("task-not-cancelable", `the task ${taskId} does not run`);
      }
      return { type: "result", result: spellTask(getTask(taskId).view, dialect) };
    },
    list,
    "list-commands": () => ({
      type: "result",
      result: encodeMessage("GetAllSlashCommandsResponse", { commands: options.commands }),
    }),
    "execute-command": (params, _, call) => execute(params, call),
  };

  return async (request, call) => {
    const version =
      call.version === undefined ? undefined : call.version.startsWith("1") ? "1.0" : "0.3";
    const found = findOperation(request.method, version);
    const method = found && methods[found.operation];
    if (found === undefined || method === undefined) {
      throw new ProtocolError("method-not-found", `a fake agent has no method ${request.method}`);
    }
    const { params } = request;
    const spelling = spellings[found.version];
    const activation = activationOf(params, call.extensions, options, spelling);
    return await method(params, { spelling, activation }, call);
  };
}

/** Session and task of a message. */
type FakeTarget = Pick<FakeDelivery, "session" | "taskId" | "isNewTask">;

interface Address {
  readonly taskId?: string;
  readonly contextId?: string;
}

function commandResult(response: ExecuteSlashCommandResponse): FakeOutcome {
  return { type: "result", result: encodeMessage("ExecuteSlashCommandResponse", response) };
}
