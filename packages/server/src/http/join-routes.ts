import { isObject, ProtocolError } from "@dt/schema";
import { type RequestHandler, Router } from "express";
import { findBearerToken } from "../access/auth/bearer-token.js";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import type { Pairing } from "../pairing/create-pairing.js";
import type { JoinPageFile } from "../pairing/join-page.js";
import { jsonBody } from "./body-parser.js";
import { encodeEarlyError, refuseMethod } from "./error-route.js";

/** Options of {@link joinRoutes}. */
export interface JoinRouteOptions {
  readonly pairing: Pairing;
  /** Loads the files of the page when the page is first requested. */
  loadPage(): Promise<readonly JoinPageFile[]>;
  readonly unfinished: UnfinishedBytes;
}

/** Maximum size of a request to pair. */
const MAX_BODY_BYTES = 4 * 1024;
/** Maximum length of a code and of a name. */
const MAX_TEXT = 200;

/** The page runs only its own files, calls only its own server, and is shown in no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Headers of each file of the page. */
const PAGE_HEADERS = new Map([
  ["Content-Security-Policy", CONTENT_SECURITY_POLICY],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Permissions-Policy", "camera=(), geolocation=(), microphone=()"],
  ["Cache-Control", "no-store"],
]);

/** Serves the page at `/join`, and exchanges codes for tokens. These routes need no token. */
export function joinRoutes({ pairing, loadPage, unfinished }: JoinRouteOptions): Router {
  const router = Router({ strict: true });
  let loading: Promise<readonly JoinPageFile[]> | undefined;

  const sendFile: RequestHandler = async (request, response, next) => {
    loading ??= loadPage();
    const files = await loading.catch((reason: unknown) => {
      loading = undefined;
      throw reason;
    });
    const file = files.find(({ path }) => path === request.path);
    if (file === undefined) return next();
    response.setHeaders(PAGE_HEADERS);
    response.type(file.type).send(file.body);
  };

  const pair: RequestHandler = async (request, response) => {
    const { code, name } = readBody(request.body);
    const earlierToken = findBearerToken(request);
    const { token, ...device } = await pairing.pair({ code, name, earlierToken });
    response.setHeader("Cache-Control", "no-store");
    response.json({ token, ...device });
  };

  router.get("/join", sendFile);
  router.get("/join/:file", sendFile);
  router.post("/join", ...jsonBody(MAX_BODY_BYTES, unfinished), pair);
  router.all("/join", refuseMethod("GET, POST", encodeEarlyError));
  return router;
}

function readBody(body: unknown): { readonly code: string; readonly name: string } {
  const { code, name = "" } = isObject(body) ? body : {};
  if (!isShortText(code)) throw new ProtocolError("invalid-request", "code: expected a short text");
  if (!isShortText(name)) throw new ProtocolError("invalid-request", "name: expected a short text");
  return { code, name };
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}
