import type { RequestHandler } from "express";
import type { Gauges, Metrics } from "./metrics.js";

/** `GET /metrics`: counters and gauges for Prometheus. */
export function metricsRoute(
  metrics: Pick<Metrics, "page">,
  readGauges: () => Promise<Gauges>,
): RequestHandler {
  return async (_request, response) => {
    const { contentType, body } = await metrics.page(await readGauges());
    response.setHeader("Cache-Control", "no-store");
    response.type(contentType).send(body);
  };
}
