import { errorCodes, isProtocolError, ProtocolError } from "@dt/schema";
import { rpcFailure } from "@dt/schema/wire";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import { checkSource, type LoopbackGuardOptions } from "../access/loopback-guard.js";
import { type AgentCardOptions, agentCardRoute } from "../agent-card/agent-card-route.js";
import { type RpcRouteOptions, rpcRoute } from "./rpc-route.js";

/** What the HTTP side is made of. */
export interface HttpAppOptions extends RpcRouteOptions {
  readonly guard: LoopbackGuardOptions;
  readonly card: AgentCardOptions;
  /** The largest body that is read. */
  readonly maxBodyBytes: number;
}

/** The Express app: routes and their order. */
export function createHttpApp(options: HttpAppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(guardRoute(options.guard));
  const card = agentCardRoute(options.card);
  app.get("/.well-known/agent-card.json", card);
  app.get("/.well-known/agent.json", card);
  app.post(
    "/",
    jsonOnly,
    express.json({ limit: options.maxBodyBytes, strict: false }),
    rpcRoute(options),
  );
  app.use(() => {
    throw new ProtocolError("method-not-found", "there is nothing at this address");
  });
  app.use(errorRoute(options.onFault));
  return app;
}

function guardRoute(guard: LoopbackGuardOptions): RequestHandler {
  return (request, _response, next) => {
    checkSource(request, guard);
    next();
  };
}

// A web page may send text or forms to any address; JSON it may not send unasked.
const jsonOnly: RequestHandler = (request, _response, next) => {
  const type = request.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json" && type !== "application/a2a+json") {
    throw new ProtocolError(
      "content-type-not-supported",
      "Content-Type: expected application/json",
    );
  }
  request.headers["content-type"] = "application/json";
  next();
};

function errorRoute(onFault: (reason: unknown) => void): ErrorRequestHandler {
  return (reason: unknown, _request, response, next) => {
    if (response.headersSent) return next(reason);
    const error = toProtocolError(reason);
    if (error.code === "internal") onFault(reason);
    response.status(errorCodes[error.code].http).json(rpcFailure(null, error));
  };
}

// What Express's body parser throws says what was wrong in `type`.
function toProtocolError(reason: unknown): ProtocolError {
  if (isProtocolError(reason)) return reason;
  switch ((reason as { type?: unknown }).type) {
    case "entity.too.large":
      return new ProtocolError("too-large", "the body is larger than this server reads");
    case "entity.parse.failed":
      return new ProtocolError("parse-error", "the body is not valid JSON");
    case "encoding.unsupported":
    case "charset.unsupported":
      return new ProtocolError(
        "content-type-not-supported",
        "the body's encoding is not supported",
      );
    case "request.aborted":
    case "request.size.invalid":
      return new ProtocolError("invalid-request", "the body did not arrive whole");
    default:
      return new ProtocolError("internal", "the server could not finish the request", {
        cause: reason,
      });
  }
}
