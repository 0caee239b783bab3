import type { RequestHandler } from "express";
import type { SessionStore } from "../store/session-store.js";

/** What health is read from. */
export interface HealthOptions {
  readonly store: Pick<SessionStore, "check" | "countTasks">;
  /** How long the server has run, in seconds. */
  uptime(): number;
  isStopping(): boolean;
}

/** `GET /health`: 200 while the server takes work and its store can be relied on, else 503. (SRV-16) */
export function healthRoute({ store, uptime, isStopping }: HealthOptions): RequestHandler {
  return async (_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    try {
      const { damagedSessions } = await store.check();
      const { active, total } = await store.countTasks();
      const status = isStopping() ? "stopping" : "healthy";
      response.status(status === "healthy" ? 200 : 503).json({
        status,
        uptime: uptime(),
        activeTasks: active,
        totalTasks: total,
        // How many, not which: their ids belong to their owners, and are in the log.
        ...(damagedSessions.length > 0 && { damagedSessions: damagedSessions.length }),
      });
    } catch {
      // The reason is in the log, because it names files.
      response.status(503).json({ status: "unhealthy", uptime: uptime() });
    }
  };
}
