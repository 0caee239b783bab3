import { randomUUID } from "node:crypto";
import { isProtocolError, ProtocolError } from "@dt/schema";
import type { StreamFrame } from "@dt/schema/wire";
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import { type CallLog, type CallOutcome, outcomeOf } from "../logging/call-log.js";
import { readRequestId } from "../logging/request-log.js";
import type { Call } from "../rpc/dispatch.js";
import type { GrpcMethod } from "./bindings/grpc-binding.js";
import { createCallWriter } from "./call-writer.js";
import type { OpenStreams } from "./open-streams.js";
import {
  endSignal,
  type GrpcCall,
  type PrepareOptions,
  prepareCall,
  responseMetadata,
} from "./prepare-call.js";

/** Parts of the server that the handlers of calls share. */
export interface GrpcService extends PrepareOptions {
  readonly streams: OpenStreams;
  /** Returns the log for calls of the method with this path. */
  logOf(path: string): CallLog;
  /** Encodes a frame of a stream. */
  encodeFrame(frame: StreamFrame): Buffer;
  /** Called with faults of the server. */
  onFault(reason: unknown): void;
}

/** Creates the handler of a method that answers with one message. */
export function serveUnary(
  method: GrpcMethod,
  service: GrpcService,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const gone = endSignal(call);
    run(method, call, service, async (requestId) => {
      try {
        const prepared = prepareCall(method, call, gone, service);
        const outcome = await prepared.run();
        if (outcome.type === "stream") throw new Error(`${method.path} answered with a stream`);
        // An operation without a result answers with an empty message.
        const bytes = method.encodeResult(outcome.result ?? {});
        call.sendMetadata(responseMetadata(prepared, requestId));
        callback(null, bytes);
        return gone.aborted ? "aborted" : "ok";
      } catch (reason) {
        callback(service.binding.toStatus(reason));
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
      fail(call, serverStops(), service);
    });
    gone.addEventListener("abort", forget);
    run(method, call, service, async (requestId) => {
      try {
        const prepared = prepareCall(method, call, signal, service);
        // The headers are sent at once, so that a client whose prompt waits for its turn knows that the call arrived.
        call.sendMetadata(responseMetadata(prepared, requestId));
        await sendFrames(prepared, call, signal, service);
        if (!signal.aborted) call.end();
        return signal.aborted ? "aborted" : "ok";
      } catch (reason) {
        if (!signal.aborted) fail(call, reason, service);
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
  { logOf, onFault }: GrpcService,
  work: (requestId: string) => Promise<CallOutcome>,
): void {
  const requestId = readRequestId(metadata.get("x-request-id")[0]?.toString()) ?? randomUUID();
  const name = path.slice(path.lastIndexOf("/") + 1);
  void logOf(path)(name, () => work(requestId), requestId).catch(onFault);
}

/** Ends a stream with an error, after the messages that were sent before. */
function fail(
  call: ServerWritableStream<Buffer, Buffer>,
  reason: unknown,
  { binding }: GrpcService,
): void {
  call.emit("error", binding.toStatus(reason));
}

function serverStops(): ProtocolError {
  const message = "the server is stopping; subscribe again to resume after the last event";
  return new ProtocolError("agent-busy", message, { data: { retryAfterMs: 1_000 } });
}

function noteFault(reason: unknown, { onFault }: GrpcService): unknown {
  if (!isProtocolError(reason)) onFault(reason);
  return reason;
}
