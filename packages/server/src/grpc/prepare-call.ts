import { ProtocolError } from "@dt/schema";
import { METHOD_NAMES } from "@dt/schema/wire";
import { Metadata, type ServerUnaryCall } from "@grpc/grpc-js";
import { readCallInfo } from "../http/call-info.js";
import { addLogContext } from "../logging/log-context.js";
import { type Call, dispatch, readVersion } from "../rpc/dispatch.js";
import { extensionHeaders } from "../rpc/extension-headers.js";
import type { RpcServices } from "../rpc/rpc-context.js";
import { admittedCall } from "./admit-calls.js";
import type { GrpcBinding, GrpcMethod } from "./bindings/grpc-binding.js";

/** The fields that calls with one answer and calls with a stream have in common. */
export type GrpcCall = ServerUnaryCall<Buffer, Buffer>;

/** Options of {@link prepareCall}. */
export interface PrepareOptions {
  readonly services: RpcServices;
  readonly binding: GrpcBinding;
}

/** Decodes an admitted call to a call that is ready to run. */
export function prepareCall(
  method: GrpcMethod,
  call: GrpcCall,
  signal: AbortSignal,
  { services, binding }: PrepareOptions,
): Call {
  const { request, caller } = admittedCall(call);
  addLogContext({ user: caller.user });
  const { version } = binding;
  const info = readCallInfo(request, caller, {
    signal,
    credentials: services.credentials,
  });
  if ((readVersion(info.version) ?? version) !== version) {
    throw new ProtocolError("version-not-supported", `this service supports only A2A ${version}`);
  }
  const rpcRequest = {
    id: null,
    method: METHOD_NAMES[version][method.operation],
    params: method.decodeParams(call.request),
  };
  return dispatch(rpcRequest, { ...info, version }, services);
}

/** Creates the metadata of an answer: the active extensions and the id of the request. */
export function responseMetadata({ activation, version }: Call, requestId: string): Metadata {
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
export function endSignal(call: GrpcCall): AbortSignal {
  const ended = new AbortController();
  call.once("cancelled", () => ended.abort(ENDED));
  return ended.signal;
}
