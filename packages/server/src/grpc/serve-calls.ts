import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Caller, isProtocolError, ProtocolError } from "@dt/schema";
import { METHOD_NAMES, type StreamFrame } from "@dt/schema/wire";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { readCallInfo } from "../http/call-info.js";
import { type CallLog, type CallOutcome, outcomeOf } from "../logging/call-log.js";
import { readRequestId } from "../logging/request-log.js";
import { type Call, dispatch } from "../rpc/dispatch.js";
import { extensionHeaders } from "../rpc/extension-headers.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { toRequest } from "./call-request.js";
import { createCallWriter } from "./call-writer.js";
import type { GrpcConnections } from "./grpc-connections.js";
import type { GrpcMethod } from "./grpc-methods.js";
import type { OpenStreams } from "./open-streams.js";
import { toGrpcStatus } from "./to-grpc-status.js";

/** Everything that serving a call needs. */
export interface GrpcService {
  readonly services: RpcServices;
  readonly connections: GrpcConnections;
  readonly streams: OpenStreams;
  readonly logCall: CallLog;
  authenticate(request: IncomingMessage): Caller;
  /** Encodes a frame of a stream. */
  encodeFrame(frame: StreamFrame): Buffer;
  /** Called with faults of the server. */
  onFault(reason: unknown): void;
}

/** The fields that calls of both kinds have. */
type GrpcCall = ServerUnaryCall<Buffer, Buffer>;

/** Creates the handler of a method that answers with one message. */
export function serveUnary(
  method: GrpcMethod,
  service: GrpcService,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const gone = endSignal(call);
    run(method, call, service, async (requestId) => {
      try {
        const prepared = prepare(method, call, gone, service);
        const outcome = await prepared.run();
        if (outcome.type === "stream") throw new Error(`${method.path} answered with a stream`);
        // An operation without a result answers with an empty message.
        const bytes = method.encodeResult(outcome.result ?? {});
        call.sendMetadata(responseMetadata(prepared, requestId));
        callback(null, bytes);
        return gone.aborted ? "aborted" : "ok";
      } catch (reason) {
        callback(toGrpcStatus(reason));
        return outcomeOf(noteFault(reason, service));
      }
    });
  };
}

/** Creates the handler of a method that answers with a stream. */
export function serveStream(
  method: GrpcMethod,
  service: GrpcService,
): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const gone = endSignal(call);
    const stopped = new AbortController();
    const signal = AbortSignal.any([gone, stopped.signal]);
    const forget = service.streams.add(() => {
      stopped.abort();
      fail(call, serverStops());
    });
    gone.addEventListener("abort", forget);
    run(method, call, service, async (requestId) => {
      try {
        const prepared = prepare(method, call, signal, service);
        // The headers are sent at once, so that a client whose prompt waits for its turn knows that it was accepted.
        call.sendMetadata(responseMetadata(prepared, requestId));
        await sendFrames(prepared, call, signal, service);
        if (!signal.aborted) call.end();
        return signal.aborted ? "aborted" : "ok";
      } catch (reason) {
        if (!signal.aborted) fail(call, reason);
        return outcomeOf(noteFault(reason, service));
      }
    });
  };
}

async function sendFrames(
  prepared: Call,
  call: ServerWritableStream<Buffer, Buffer>,
  signal: AbortSignal,
  { encodeFrame }: GrpcService,
): Promise<void> {
  const outcome = await prepared.run();
  if (outcome.type === "result") throw new Error(`${call.getPath()} answered without a stream`);
  const send = createCallWriter(call, signal);
  for await (const frames of outcome.batches) {
    for (const frame of frames) {
      if (signal.aborted) return;
      const written = send(encodeFrame(frame));
      if (written !== undefined) await written;
    }
  }
}

function run(
  { path }: GrpcMethod,
  { metadata }: GrpcCall,
  { logCall, onFault }: GrpcService,
  work: (requestId: string) => Promise<CallOutcome>,
): void {
  const requestId = readRequestId(metadata.get("x-request-id")[0]?.toString()) ?? randomUUID();
  const name = path.slice(path.lastIndexOf("/") + 1);
  void logCall(name, () => work(requestId), requestId).catch(onFault);
}

/** Reads a call, and finds its operation. */
function prepare(
  method: GrpcMethod,
  call: GrpcCall,
  signal: AbortSignal,
  { services, connections, authenticate }: GrpcService,
): Call {
  const socket = connections.find(call.getPeer());
  if (socket === undefined) throw new ProtocolError("invalid-request", "the connection is closed");
  const request = toRequest(call, socket);
  const { version, ...info } = readCallInfo(request, authenticate(request), {
    signal,
    credentials: services.credentials,
  });
  if (version?.startsWith("0.")) {
    throw new ProtocolError("version-not-supported", "the gRPC binding supports only A2A 1.0");
  }
  const rpcRequest = {
    id: null,
    method: METHOD_NAMES["1.0"][method.operation],
    params: method.decodeParams(call.request),
  };
  return dispatch(rpcRequest, { ...info, version: version || "1.0" }, services);
}

function responseMetadata({ activation, version }: Call, requestId: string): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(extensionHeaders(activation, version))) {
    metadata.set(name, value);
  }
  metadata.set("x-request-id", requestId);
  return metadata;
}

// All signals share one reason, because every call ends with an abort and a new error would cost a stack trace.
const ENDED = new DOMException("the call has ended", "AbortError");

/** Creates a signal that aborts when the call has ended, its client is gone or its deadline has passed. */
function endSignal(call: GrpcCall): AbortSignal {
  const ended = new AbortController();
  call.once("cancelled", () => ended.abort(ENDED));
  return ended.signal;
}

/** Ends a stream with an error, after the messages that were sent before. */
function fail(call: ServerWritableStream<Buffer, Buffer>, reason: unknown): void {
  call.emit("error", toGrpcStatus(reason));
}

function serverStops(): ProtocolError {
  const message = "the server is stopping; subscribe again to resume after the last event";
  return new ProtocolError("agent-busy", message, { data: { retryAfterMs: 1_000 } });
}

function noteFault(reason: unknown, { onFault }: GrpcService): unknown {
  if (!isProtocolError(reason)) onFault(reason);
  return reason;
}
