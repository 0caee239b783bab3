import { isObject, type JsonObject, type ProtocolError } from "@dt/schema";
import type { A2aVersion, Operation, StreamFrame } from "@dt/schema/wire";
import type { Request } from "express";

/** One route of a binding: verb, path, operation, and a function that reads its parameters. */
export type RestRoute = readonly [
  "get" | "post" | "delete",
  string,
  Operation,
  ((request: Request) => JsonObject)?,
];

/** HTTP+JSON binding of one version of A2A. */
export interface RestBinding {
  readonly version: A2aVersion;
  readonly routes: readonly RestRoute[];
  encodeResult(operation: Operation, result: unknown): unknown;
  /** Encodes a frame of a stream. Without this function, frames are sent as the dispatcher returns them. */
  readonly encodeFrame?: (frame: StreamFrame) => StreamFrame;
  encodeError(reason: unknown): { readonly httpStatus: number; readonly body: JsonObject };
  /** Encodes the body of a response with the status 405. */
  encodeNotAllowed(error: ProtocolError): JsonObject;
}

const contextOf = ({ params }: Request): JsonObject => ({ context_id: params.contextId });
const bodyOf = ({ body }: Request): JsonObject => (isObject(body) ? body : {});

/** Routes of our session extension, which are the same in both versions. */
export const SHARING_ROUTES: readonly RestRoute[] = [
  ["get", "/sessions\\:shared", "list-granted"],
  ["post", "/sessions\\:join", "join-session", bodyOf],
  ["get", "/sessions/:contextId/access", "session-access", contextOf],
  [
    "post",
    "/sessions/:contextId/grants",
    "share-session",
    (request) => ({ ...bodyOf(request), ...contextOf(request) }),
  ],
  [
    "delete",
    "/sessions/:contextId/grants/:grantId",
    "unshare-session",
    (request) => ({ ...contextOf(request), grant_id: request.params.grantId }),
  ],
];

/**
 * Reads the parameters of an operation from the query. All values in a query are text, so booleans are converted here.
 * The operation checks the values. Parameters such as `A2A-Version` stand for headers and are left out.
 */
export function readQuery({ query }: Request): JsonObject {
  const read = (key: string, value: unknown): unknown => {
    if (key !== "includeArtifacts" && key !== "include_artifacts") return value;
    return value === "true" || (value === "false" ? false : value);
  };
  return Object.fromEntries(
    Object.entries(query)
      .filter(([key]) => !/^(a2a|x)-/i.test(key))
      .map(([key, value]) => [key, read(key, value)]),
  );
}
