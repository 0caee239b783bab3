import type { IncomingMessage } from "node:http";
import { type Caller, isProtocolError, ProtocolError } from "@dt/schema";
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { findBearerToken } from "../access/auth/bearer-token.js";
import { challengeHeaders } from "../access/auth/challenge.js";
import type { ConnectionLimit } from "../access/limits/connection-limit.js";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { retryHeaders } from "../access/rates/retry-headers.js";
import { checkSource, type LoopbackGuardOptions } from "../access/source/loopback-guard.js";
import { type CallLog, outcomeOf } from "../logging/call-log.js";
import { type CallHead, toRequest } from "./call-request.js";
import { countIncomplete } from "./count-incomplete.js";
import { toGrpcStatus } from "./errors/to-grpc-status.js";
import type { GrpcConnections } from "./grpc-connections.js";

/** Options of {@link admitCalls}. */
export interface AdmissionOptions {
  readonly guard: LoopbackGuardOptions;
  authenticate(request: IncomingMessage): Caller | Promise<Caller>;
  readonly limit: Pick<ConnectionLimit, "check">;
  readonly connections: GrpcConnections;
  /** Counts the bytes of incomplete messages. */
  readonly unfinished: UnfinishedBytes;
  readonly maxBodyBytes: number;
  /** Returns the log for calls of the method with this path. */
  logOf(path: string): CallLog;
  onFault(reason: unknown): void;
}

/** A call that was admitted: its caller, and its head as an HTTP request. */
export interface AdmittedGrpcCall {
  readonly caller: Caller;
  readonly request: IncomingMessage;
}

/**
 * The admitted calls by their metadata, because the metadata is the only object that interceptors and handlers share.
 */
const ADMITTED = new WeakMap<Metadata, AdmittedGrpcCall>();

/** Returns the caller and the head of a call that {@link admitCalls} has admitted. */
export function admittedCall({ metadata }: { readonly metadata: Metadata }): AdmittedGrpcCall {
  const admitted = ADMITTED.get(metadata);
  if (admitted === undefined) throw new Error("the call was not authenticated");
  return admitted;
}

/**
 * Creates the interceptor that admits calls. A refused call gets its status before its message is read.
 * (SEC-01) A call keeps its connection in use from the arrival of the call's metadata until the call ends.
 */
export function admitCalls(options: AdmissionOptions): ServerInterceptor {
  const { connections, unfinished, maxBodyBytes: maxBytes } = options;
  return ({ path }, call) => {
    let isEnded = false;
    let release = () => {};
    let complete = () => {};
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            release = connections.openCall(call.getPeer());
            complete = countIncomplete(call, { unfinished, maxBytes });
            const head = { path, metadata, host: call.getHost() };
            admit(head, call, options).then(
              (admitted) => {
                ADMITTED.set(metadata, admitted);
                pass(metadata);
              },
              (reason: unknown) => refuse(head, call, reason, options),
            );
          },
          onReceiveMessage(message, pass) {
            complete();
            pass(message);
          },
          onReceiveHalfClose(pass) {
            // Without this check, the library would start the handler of a cancelled call, and the handler
            // would never learn that the call was cancelled.
            if (!isEnded) pass();
          },
          // The library calls this at the end of every call, not only when the client cancels.
          onCancel() {
            isEnded = true;
            complete();
            release();
          },
        });
      },
    });
  };
}

async function admit(
  head: CallHead,
  call: ServerInterceptingCallInterface,
  { connections, limit, guard, authenticate }: AdmissionOptions,
): Promise<AdmittedGrpcCall> {
  const socket = connections.find(call.getPeer());
  if (socket === undefined) throw new ProtocolError("invalid-request", "the connection is closed");
  limit.check(socket);
  const request = toRequest(head, socket);
  checkSource(request, guard);
  return { caller: await authenticate(request), request };
}

function refuse(
  { path, metadata }: CallHead,
  call: ServerInterceptingCallInterface,
  reason: unknown,
  { logOf, onFault }: AdmissionOptions,
): void {
  if (!isProtocolError(reason)) onFault(reason);
  const headers = { authorization: metadata.get("authorization")[0]?.toString() };
  const hasToken = findBearerToken({ headers }) !== undefined;
  const status = toGrpcStatus(reason);
  const added = { ...challengeHeaders(reason, { hasToken }), ...retryHeaders(reason) };
  for (const [name, value] of Object.entries(added)) {
    status.metadata.set(name, value);
  }
  void logOf(path)(path.slice(path.lastIndexOf("/") + 1), async () => {
    call.sendStatus(status);
    return outcomeOf(reason);
  }).catch(onFault);
}
