import { encodeRpcStatus } from "@dt/schema/wire";
import { Metadata, status as STATUS } from "@grpc/grpc-js";
import { encodeStatus } from "./encode-status.js";

/** Status of a failed call, in the form that grpc-js expects. */
export interface GrpcStatus {
  readonly code: STATUS;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Trailer that contains a google.rpc.Status. */
const DETAILS_KEY = "grpc-status-details-bin";
/** Maximum size of the details. Many clients refuse more than 8 KiB of trailers, and base64 adds a third. */
const MAX_DETAILS_BYTES = 4 * 1024;
const MAX_MESSAGE_LENGTH = 1024;

/** Converts an error to the status of a call, with the same typed details as REST. (A2A 1.0 §10.6) */
export function toGrpcStatus(reason: unknown): GrpcStatus {
  const { status } = encodeRpcStatus(reason);
  return toStatusWithCode(reason, STATUS[status as keyof typeof STATUS] ?? STATUS.UNKNOWN);
}

/** Converts an error to a status with the given code, instead of the code that A2A 1.0 defines for the error. */
export function toStatusWithCode(reason: unknown, code: STATUS): GrpcStatus {
  const { message: whole, details } = encodeRpcStatus(reason);
  // Buffer replaces halves of surrogate pairs, which cannot be sent.
  const message = Buffer.from(whole.slice(0, MAX_MESSAGE_LENGTH)).toString();
  const metadata = new Metadata();
  const encoded = encodeStatus({ code, message, details });
  const fits = encoded.length <= MAX_DETAILS_BYTES;
  // If the details are too large, only the first one is sent: ErrorInfo, which is always small without its metadata.
  const reduced = details.slice(0, 1).map(({ metadata: _, ...info }) => info);
  const sent = fits ? encoded : encodeStatus({ code, message, details: reduced });
  metadata.set(DETAILS_KEY, Buffer.from(sent));
  return { code, details: message, metadata };
}
