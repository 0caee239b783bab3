import type { IncomingMessage } from "node:http";
import { ProtocolError } from "@dt/schema";
import express, { type Express, type RequestHandler } from "express";
import type { UnfinishedBytes } from "../access/limits/unfinished-bytes.js";
import { answerOrigin } from "../access/source/cross-origin.js";
import { checkSource, type LoopbackGuardOptions } from "../access/source/loopback-guard.js";
import { agentCardRoute, type ReadCardContent } from "../agent-card/agent-card-route.js";
import type { JoinOptions } from "../pairing/join-page.js";
import { admitRequest } from "./admit-request.js";
import { jsonBody } from "./body-parser.js";
import { encodeEarlyError, errorRoute, refuseMethod } from "./error-route.js";
import { guideRoutes } from "./guide-routes.js";
import { joinRoutes } from "./join-routes.js";
import { notesRoutes } from "./notes/notes-routes.js";
import { referenceRoutes } from "./reference-routes.js";
import { serveRest } from "./rest/serve-rest.js";
import { type RpcRouteOptions, rpcRoute } from "./rpc-route.js";

/** Media type of A2A's JSON. (A2A 1.0 §11.1) */
const A2A_JSON = "application/a2a+json";

/** Options of {@link createHttpApp}. */
export interface HttpAppOptions extends RpcRouteOptions {
  readonly guard: LoopbackGuardOptions;
  readonly card: ReadCardContent;
  /** Maximum size of a body. */
  readonly maxBodyBytes: number;
  /** Counts a request that needs no token. Rejects if the address of the request has exceeded its limit. */
  countAnonymous(request: IncomingMessage): Promise<void>;
  /** Counts the bytes of incomplete bodies. */
  readonly unfinished: UnfinishedBytes;
  /** Pairs devices; undefined if the server pairs none. */
  readonly join?: JoinOptions;
}

/** Creates the Express app. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  const readBody = jsonBody(options.maxBodyBytes, options.unfinished);
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(guardRoute(options.guard), answerAcceptedType);
  const card: RequestHandler[] = [countRoute(options), agentCardRoute(options.card)];
  app.get("/.well-known/agent-card.json", ...card);
  app.get("/.well-known/agent.json", ...card);
  if (options.join !== undefined) {
    app.use("/join", countRoute(options));
    app.use(joinRoutes({ ...options, ...options.join }));
  }
  app.post("/", admitRequest(options), ...readBody, rpcRoute(options));
  app.all("/", refuseMethod("POST", encodeEarlyError));
  app.use(serveRest({ ...options, readBody }));
  // Only a live endpoint has a shared session. A live endpoint serves the routes of the guide; other servers
  // serve the routes of the protocol notes and of the server reference.
  if (options.services.shared === undefined) app.use(notesRoutes({ ...options, readBody }));
  // These routes match every path below `/tasks`, so they come last.
  const documentRoutes = options.services.shared === undefined ? referenceRoutes : guideRoutes;
  app.use("/tasks", documentRoutes({ ...options, readBody }));
  app.use(() => {
    throw new ProtocolError("method-not-found", "there is nothing at this address");
  });
  app.use(errorRoute(options.onFault));
  return app;
}

// A2A's own type of JSON is only sent to clients that name it, because other clients may accept only
// `application/json`.
const answerAcceptedType: RequestHandler = (request, response, next) => {
  if (request.headers.accept?.includes(A2A_JSON)) response.setHeader("Content-Type", A2A_JSON);
  next();
};

function countRoute({ countAnonymous }: HttpAppOptions): RequestHandler {
  return async (request, _response, next) => {
    await countAnonymous(request);
    next();
  };
}

function guardRoute(guard: LoopbackGuardOptions): RequestHandler {
  return (request, response, next) => {
    checkSource(request, guard);
    if (!answerOrigin(request, response, guard)) next();
  };
}
