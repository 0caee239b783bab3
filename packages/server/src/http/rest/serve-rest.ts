import { findA2aVersion } from "@dt/schema/wire";
import { type RequestHandler, Router } from "express";
import { readVersionParameter } from "../../access/source/version-parameter.js";
import { REST_PATH_V0_3 } from "../../agent-card/build-agent-card.js";
import type { RpcRouteOptions } from "../rpc-route.js";
import { restRoutes } from "./rest-routes.js";
import { createRestV03 } from "./rest-v0-3.js";
import { REST_V1_0 } from "./rest-v1-0.js";

/**
 * Serves the HTTP+JSON bindings of A2A 0.3 and 1.0. In both versions, paths begin with `/v1`, and most
 * clients of A2A 0.3 do not send their version. So A2A 0.3 also has a base path of its own, which the agent
 * card lists. A request whose path begins directly with `/v1` is served as A2A 1.0, unless it asks for A2A
 * 0.3.
 */
export function serveRest(
  options: RpcRouteOptions & { readonly readBody: readonly RequestHandler[] },
): Router {
  const older = restRoutes(createRestV03(), options);
  const router = Router();
  router.use(`/${REST_PATH_V0_3}/v1`, older);
  router.use("/v1", Router().use(skipUnlessOlder, older), restRoutes(REST_V1_0, options));
  return router;
}

const skipUnlessOlder: RequestHandler = (request, _response, next) => {
  const isOlder = findA2aVersion(readVersionParameter(request) ?? "") === "0.3";
  next(isOlder ? undefined : "router");
};
