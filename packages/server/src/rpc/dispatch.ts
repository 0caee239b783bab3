import {
  type Caller,
  type ExtensionUris,
  isCompatibleUri,
  isObject,
  isProtocolError,
  ProtocolError,
} from "@dt/schema";
import {
  type A2aVersion,
  type Activation,
  activatesExtension,
  findA2aVersion,
  findOperation,
  isGuideParams,
  type Operation,
  type RpcRequest,
  spellings,
} from "@dt/schema/wire";
import type { Context } from "@opentelemetry/api";
import { commandExecute } from "./commands/command-execute.js";
import { commandsGet } from "./commands/commands-get.js";
import { endClient } from "./end-client.js";
import { extensionRequired } from "./extension-required.js";
import { guideSend, guideStream } from "./guide/guide-message.js";
import { messageSend, messageStream } from "./messages/message-stream.js";
import { pushDelete, pushGet, pushList, pushSet } from "./push/push-methods.js";
import type { RpcContext, RpcOutcome, RpcServices } from "./rpc-context.js";
import { followSession } from "./tasks/follow-session.js";
import { refuseExtendedCard, tasksCancel, tasksGet } from "./tasks/task-methods.js";
import { tasksList } from "./tasks/tasks-list.js";
import { tasksSubscribe } from "./tasks/tasks-subscribe.js";
import { traceCall } from "./trace-call.js";

type Method = (params: unknown, context: RpcContext) => Promise<RpcOutcome>;

const methods: Readonly<Partial<Record<Operation, Method>>> = {
  send: messageSend,
  stream: messageStream,
  get: tasksGet,
  list: tasksList,
  cancel: tasksCancel,
  subscribe: tasksSubscribe,
  "set-push-config": pushSet,
  "get-push-config": pushGet,
  "list-push-configs": pushList,
  "delete-push-config": pushDelete,
  "extended-card": refuseExtendedCard,
  "list-commands": commandsGet,
  "execute-command": commandExecute,
  "follow-session": followSession,
  "end-client": endClient,
};

/** Those that answer with a stream. */
const streaming: readonly Operation[] = ["stream", "subscribe", "follow-session"];

/** The same on a live endpoint for messages in the words of its guide. */
const guideMethods: Readonly<Partial<Record<Operation, Method>>> = {
  send: guideSend,
  stream: guideStream,
};

/** What a transport knows of a call beside its body. */
export interface CallInfo {
  readonly caller: Caller;
  /** The A2A-Version header. */
  readonly version: string | undefined;
  /** The extensions that the client's headers name. */
  readonly extensions: readonly string[];
  readonly after: string | undefined;
  /** Whether the client takes a stream where a method can give one or a single answer. */
  readonly acceptsStream: boolean;
  readonly signal: AbortSignal;
  /** Whether the call was made on this machine. */
  readonly isFromLoopback: boolean;
  /** The trace that the caller's request belongs to. */
  readonly trace: Context;
}

/** A call that was understood: how to run it, and how its answer must be framed. */
export interface Call {
  readonly version: A2aVersion;
  /** Whether its answer is a stream. */
  readonly isStreaming: boolean;
  readonly activation: Activation;
  run(): Promise<RpcOutcome>;
}

/** Finds the method that a request means. Routed by version header, without one by method name. */
export function dispatch(request: RpcRequest, info: CallInfo, services: RpcServices): Call {
  const { uris } = services;
  const found = findOperation(request.method, readVersion(info.version));
  // The one place where the guide's messages part from A2A's.
  const isGuide = services.shared !== undefined && isGuideParams(request.params);
  const method = found && ((isGuide && guideMethods[found.operation]) || methods[found.operation]);
  if (found === undefined || method === undefined) {
    throw new ProtocolError("method-not-found", `there is no method ${request.method}`);
  }
  const spelling = spellings[found.version];
  const activation = findActivation(request.params, info, uris, found.version);
  checkActivation(found.operation, activation, services);
  const { caller, after, acceptsStream, signal, isFromLoopback } = info;
  const isStreaming = streaming.includes(found.operation);
  const call = { caller, after, acceptsStream, signal, isFromLoopback };
  const context = { ...services, ...call, spelling, activation };
  return {
    version: found.version,
    isStreaming,
    activation,
    run: () =>
      measured(services, found, () =>
        traceCall({ ...found, parent: info.trace }, () =>
          isStreaming
            ? runCounted(method, request.params, context)
            : services.stopping.track(method(request.params, context)),
        ),
      ),
  };
}

// Messages say for themselves what is missing; these have no message. (DESIGN 4)
function checkActivation(
  operation: Operation,
  { developmentTool, uris }: Activation,
  { isExtensionRequired }: RpcServices,
): void {
  const isCommand = operation === "list-commands" || operation === "execute-command";
  if (isCommand && isExtensionRequired && !developmentTool) throw extensionRequired(uris);
}

async function measured(
  { metrics }: Pick<RpcServices, "metrics">,
  { operation, version }: { readonly operation: Operation; readonly version: A2aVersion },
  run: () => Promise<RpcOutcome>,
): Promise<RpcOutcome> {
  if (metrics === undefined) return await run();
  const startedAt = performance.now();
  let outcome = "ok";
  try {
    return await run();
  } catch (reason) {
    outcome = isProtocolError(reason) ? reason.code : "internal";
    throw reason;
  } finally {
    const seconds = (performance.now() - startedAt) / 1_000;
    metrics.callAnswered({ operation, version, outcome, seconds });
  }
}

// Counted before anything is delivered: a message that is refused here can be sent again.
async function runCounted(
  method: Method,
  params: unknown,
  context: RpcContext,
): Promise<RpcOutcome> {
  const release = context.streams?.open(context.caller.user) ?? (() => {});
  context.signal.addEventListener("abort", release);
  try {
    const outcome = await method(params, context);
    if (outcome.type === "result") release();
    return outcome.type === "result"
      ? outcome
      : { ...outcome, batches: released(outcome.batches, release) };
  } catch (reason) {
    release();
    throw reason;
  }
}

async function* released<TItem>(items: AsyncIterable<TItem>, release: () => void) {
  try {
    yield* items;
  } finally {
    release();
  }
}

/** The version that a header names; undefined where there is none. */
export function readVersion(header: string | undefined): A2aVersion | undefined {
  if (header === undefined || header === "") return undefined;
  const version = findA2aVersion(header);
  if (version !== undefined) return version;
  throw new ProtocolError(
    "version-not-supported",
    `A2A version ${header.slice(0, 32)} is not supported; this agent speaks 0.3 and 1.0`,
  );
}

/** What is active by header, by the message's list, or by our key in its metadata. (DESIGN 3.7) */
export function findActivation(
  params: unknown,
  { extensions }: Pick<CallInfo, "extensions">,
  uris: ExtensionUris,
  version: A2aVersion,
): Activation {
  const message = readMessage(params, version);
  const isActive = (uri: string) =>
    extensions.some((extension) => isCompatibleUri(uri, extension)) ||
    (message !== undefined && activatesExtension(message, uri));
  const session = isActive(uris.session);
  return { uris, session, developmentTool: session || isActive(uris.developmentTool) };
}

// Only to look for extensions: what is wrong with a message is said by the method that reads it.
function readMessage(params: unknown, version: A2aVersion) {
  if (!isObject(params) || !isObject(params.message)) return undefined;
  try {
    return spellings[version].decodeMessage(params.message, "message");
  } catch {
    return undefined;
  }
}
