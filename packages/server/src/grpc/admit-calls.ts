import { isProtocolError } from "@dt/schema";
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { ConnectionLimit } from "../access/limits/connection-limit.js";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { checkSource, type LoopbackGuardOptions } from "../access/source/loopback-guard.js";
import { type CallLog, outcomeOf } from "../logging/call-log.js";
import { headersOf } from "./call-request.js";
import { countIncomplete } from "./count-incomplete.js";
import { toGrpcStatus } from "./errors/to-grpc-status.js";
import type { GrpcConnections } from "./grpc-connections.js";

/** Options of {@link admitCalls}. */
export interface AdmissionOptions {
  readonly guard: LoopbackGuardOptions;
  readonly limit: Pick<ConnectionLimit, "check">;
  readonly connections: GrpcConnections;
  /** Counts the bytes of incomplete messages. */
  readonly unfinished: UnfinishedBytes;
  readonly maxBodyBytes: number;
  /** Returns the log of the calls of a method. */
  logOf(path: string): CallLog;
  onFault(reason: unknown): void;
}

/**
 * Creates the interceptor that admits calls. A refused call gets its status before its message is read. (SEC-01) An
 * admitted call counts as work of its connection until it ends.
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
            const refusal = findRefusal(metadata, call, options);
            if (refusal !== undefined) return refuse(path, call, refusal, options);
            release = connections.openCall(call.getPeer());
            complete = countIncomplete(call, { unfinished, maxBytes });
            pass(metadata);
          },
          onReceiveMessage(message, pass) {
            complete();
            pass(message);
          },
          onReceiveHalfClose(pass) {
            // Without this check, the library would start the handler of a cancelled call, and never notify it.
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

function findRefusal(
  metadata: Metadata,
  call: ServerInterceptingCallInterface,
  { connections, limit, guard }: AdmissionOptions,
): unknown {
  try {
    const socket = connections.find(call.getPeer());
    if (socket !== undefined) limit.check(socket);
    checkSource({ headers: headersOf(metadata, call.getHost()) }, guard);
    return undefined;
  } catch (reason) {
    return reason;
  }
}

function refuse(
  path: string,
  call: ServerInterceptingCallInterface,
  reason: unknown,
  { logOf, onFault }: AdmissionOptions,
): void {
  if (!isProtocolError(reason)) onFault(reason);
  void logOf(path)(path.slice(path.lastIndexOf("/") + 1), async () => {
    call.sendStatus(toGrpcStatus(reason));
    return outcomeOf(reason);
  }).catch(onFault);
}
