import {
  type Caller,
  type ExtensionUris,
  isCompatibleUri,
  isObject,
  ProtocolError,
} from "@dt/schema";
import {
  type A2aVersion,
  type Activation,
  activatesExtension,
  type Dialect,
  findA2aVersion,
  findOperation,
  type Operation,
  type RpcRequest,
  spellings,
} from "@dt/schema/wire";
import type { Context } from "@opentelemetry/api";
import type { Right } from "../access/auth/role-table.js";
import {
  auditRefusals,
  authorize,
  type CallInterceptor,
  endWithAccess,
  interceptCall,
  limitStreams,
  measure,
  trace,
  track,
} from "./call-interceptor.js";
import { openCallLifetime } from "./call-lifetime.js";
import { commandExecute } from "./commands/command-execute.js";
import { commandsGet } from "./commands/commands-get.js";
import { endClient } from "./end-client.js";
import { checkRequiredExtension } from "./extension-required.js";
import { findMessageDialect } from "./messages/find-message-dialect.js";
import { messageSend, messageStream } from "./messages/message-stream.js";
import { pushDelete, pushGet, pushList, pushSet } from "./push/push-methods.js";
import { type RpcContext, type RpcOutcome, type RpcServices, variantOf } from "./rpc-context.js";
import { joinSession, listGranted, readSessionAccess } from "./sharing/granted-session.js";
import { shareSession, unshareSession } from "./sharing/share-session.js";
import { withNamedSession } from "./tasks/live-sessions.js";
import { sessionSubscribe } from "./tasks/session-subscribe.js";
import { getExtendedCard, tasksCancel, tasksGet } from "./tasks/task-methods.js";
import { tasksList } from "./tasks/tasks-list.js";
import { tasksSubscribe } from "./tasks/tasks-subscribe.js";

type Method = (params: unknown, context: RpcContext) => Promise<RpcOutcome>;

const METHODS: Readonly<Partial<Record<Operation, Method>>> = {
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
  "extended-card": getExtendedCard,
  "list-commands": commandsGet,
  "execute-command": commandExecute,
  "follow-session": sessionSubscribe,
  "share-session": shareSession,
  "unshare-session": unshareSession,
  "session-access": readSessionAccess,
  "join-session": joinSession,
  "list-granted": listGranted,
  "end-client": endClient,
};

/** The interceptors of every call. The first one runs first. */
const INTERCEPTORS: readonly CallInterceptor[] = [
  measure,
  trace,
  auditRefusals,
  authorize,
  endWithAccess,
  limitStreams,
  track,
];

/** Operations that always answer with a stream. */
const STREAMING: readonly Operation[] = ["stream", "subscribe", "follow-session"];

/** Properties of a call that are not in its body. */
export interface CallInfo {
  readonly caller: Caller;
  /** The A2A version that the request names, in its header or its URL. */
  readonly version: string | undefined;
  /** Extensions in the headers of the request. */
  readonly extensions: readonly string[];
  /** Last cursor that the client has seen. */
  readonly after: string | undefined;
  /** True if the client accepts a stream from methods that can also return a single result. */
  readonly acceptsStream: boolean;
  readonly signal: AbortSignal;
  /** Host and port that the client connected to. */
  readonly host?: string | undefined;
  /** Aborts when the caller's token ends, with the error for the client. Absent for callers without a token. */
  readonly ended?: AbortSignal;
  /** True if the call was made on this machine. */
  readonly isFromLoopback: boolean;
  /** The trace that the caller's request belongs to. */
  readonly trace: Context;
  /** Name of the dialect whose own route got the call; absent on the routes of A2A. */
  readonly family?: string;
}

/** A call that can be run, and the properties that its answer depends on. */
export interface Call {
  readonly version: A2aVersion;
  /** True if the operation always answers with a stream. */
  readonly isStreaming: boolean;
  readonly activation: Activation;
  /** The dialect of the answer. While the call runs, it may become the dialect of the task. */
  readonly dialect: Dialect;
  /** Aborts when the caller's grant on the session ends, with the error for the client; undefined without a grant. */
  readonly grant: AbortSignal | undefined;
  run(): Promise<RpcOutcome>;
}

/**
 * Finds the method of a request by name and version, and creates its call. If the request names no version,
 * the name of the method decides the version.
 */
export function dispatch(request: RpcRequest, info: CallInfo, services: RpcServices): Call {
  const found = findOperation(request.method, readVersion(info.version));
  const method = found && METHODS[found.operation];
  if (found === undefined || method === undefined) {
    throw new ProtocolError("method-not-found", `there is no method ${request.method}`);
  }
  const { params } = request;
  return createCall({ ...found, name: found.operation, params, method }, info, services);
}

/** A method with its parameters. */
export interface MethodCall {
  readonly operation: Operation;
  readonly version: A2aVersion;
  /** Name in metrics, in traces and in the table of roles. */
  readonly name: Right;
  readonly params: unknown;
  readonly method: Method;
}

/**
 * Creates the call of a method. The server reference and the protocol notes have methods of their own, in addition to
 * the methods of A2A.
 */
export function createCall(
  { operation, version, name, params, method }: MethodCall,
  info: CallInfo,
  services: RpcServices,
): Call {
  const { uris, dialects } = services;
  const spelling = spellings[version];
  const isMessage = operation === "send" || operation === "stream";
  const message = isMessage && isObject(params) ? params.message : undefined;
  const activation = findActivation(message, info, uris);
  const isLive = services.shared !== undefined;
  const variant = variantOf({ spelling, activation });
  const { caller, after, acceptsStream, host, isFromLoopback, family } = info;
  const asked = { operation, params, isLive, ...(family !== undefined && { family }) };
  const dialect = dialects.ofRequest(asked, variant);
  const isStreaming = STREAMING.includes(operation);
  const lifetime = openCallLifetime(info);
  const { signal } = lifetime;
  const endWith: RpcContext["endWith"] = (watch) => lifetime.endWith(watch);
  const call = { caller, after, acceptsStream, signal, endWith, host, isFromLoopback };
  let context: RpcContext = { ...services, ...call, right: name, spelling, activation, dialect };
  const intercepted = {
    operation: name,
    version,
    isStreaming,
    context,
    trace: info.trace,
    lifetime,
  };
  const run = async () => {
    context = await withNamedSession(context, params, operation);
    if (isMessage) context = { ...context, dialect: await findMessageDialect(params, context) };
    checkRequiredExtension(context);
    return await method(params, context);
  };
  return {
    version,
    isStreaming,
    activation,
    get dialect() {
      return context.dialect;
    },
    get grant() {
      return lifetime.grant;
    },
    run: () => interceptCall(intercepted, INTERCEPTORS, run),
  };
}

/** Reads the A2A version in a header; undefined if there is none. Throws if the version is not supported. */
export function readVersion(header: string | undefined): A2aVersion | undefined {
  if (header === undefined || header === "") return undefined;
  const version = findA2aVersion(header);
  if (version !== undefined) return version;
  throw new ProtocolError(
    "version-not-supported",
    `A2A version ${header.slice(0, 32)} is not supported; use 0.3 or 1.0`,
  );
}

/**
 * Finds the extensions that the client has activated: in the headers, in the message's list of extensions, or
 * by a key in the message's metadata. The session extension includes the development-tool extension.
 */
function findActivation(
  message: unknown,
  { extensions }: Pick<CallInfo, "extensions">,
  uris: ExtensionUris,
): Activation {
  const isActive = (uri: string) =>
    extensions.some((extension) => isCompatibleUri(uri, extension)) ||
    activatesExtension(message, uri);
  const session = isActive(uris.session);
  return { uris, session, developmentTool: session || isActive(uris.developmentTool) };
}
