import type { RequestHandler } from "express";
import type { TaskCounts } from "../store/session-store.js";

/** What health is read from. */
export interface HealthOptions {
  countTasks(): Promise<TaskCounts>;
  /** How long the server has run, in seconds. */
  uptime(): number;
  isStopping(): boolean;
}

/** `GET /health`: 200 while the server takes work and its store answers, else 503. (SRV-16) */
export function healthRoute({ countTasks, uptime, isStopping }: HealthOptions): RequestHandler {
  return async (_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    try {
      const { active, total } = await countTasks();
      const status = isStopping() ? "stopping" : "healthy";
      response
        .status(status === "healthy" ? 200 : 503)
        .json({ status, uptime: uptime(), activeTasks: active, totalTasks: total });
    } catch {
      // Why the store does not answer is in the log of whoever needed it.
      response.status(503).json({ status: "unhealthy", uptime: uptime() });
    }
  };
}
