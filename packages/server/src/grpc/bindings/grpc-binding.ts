import { isProtocolError, ProtocolError } from "@dt/schema";
import type { A2aVersion, Operation } from "@dt/schema/wire";
import type { GrpcStatus } from "../errors/to-grpc-status.js";

/** A2A's gRPC service in one version. */
export interface GrpcBinding {
  readonly version: A2aVersion;
  readonly methods: readonly GrpcMethod[];
  /** Encodes one frame of a stream. */
  encodeFrame(json: unknown): Buffer;
  toStatus(reason: unknown): GrpcStatus;
}

/** One method of a service, with its codecs between protobuf and the JSON of the dispatcher. */
export interface GrpcMethod {
  readonly operation: Operation;
  /** Path of the method in HTTP/2, e.g. `/lf.a2a.v1.A2AService/GetTask`. */
  readonly path: string;
  readonly isStreaming: boolean;
  /** Decodes the parameters of the operation; throws `parse-error` if the bytes are not the method's message. */
  decodeParams(bytes: Buffer): unknown;
  /** Encodes the result of the operation, or one frame of its stream. */
  encodeResult(json: unknown): Buffer;
}

interface Definition<TRequest, TResponse> {
  readonly path: string;
  readonly responseStream: boolean;
  requestDeserialize(bytes: Buffer): TRequest;
  responseSerialize(response: TResponse): Buffer;
}

/** Creates a method from its definition and from the functions that convert its messages. */
export function defineMethod<TRequest, TResponse>(
  operation: Operation,
  definition: Definition<TRequest, TResponse>,
  toParams: (request: TRequest) => unknown,
  toResponse: (json: unknown) => TResponse,
): GrpcMethod {
  const { path, responseStream: isStreaming } = definition;
  return {
    operation,
    path,
    isStreaming,
    decodeParams(bytes) {
      try {
        return toParams(definition.requestDeserialize(bytes));
      } catch (cause) {
        if (isProtocolError(cause)) throw cause;
        // The cause may also be a stack overflow in the decoder, for a value that is nested too deeply.
        const message = `the request is not a valid message of ${path}`;
        throw new ProtocolError("parse-error", message, { cause });
      }
    },
    encodeResult: (json) => definition.responseSerialize(toResponse(json)),
  };
}
