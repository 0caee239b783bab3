import type { RequestHandler } from "express";
import type { SessionStore } from "../store/session-store.js";

/** Options of {@link healthRoute}. */
export interface HealthOptions {
  readonly store: Pick<SessionStore, "check" | "countTasks">;
  /** Seconds since the server started. */
  uptime(): number;
  isStopping(): boolean;
}

/**
 * `GET /health`: answers 200 while the server accepts work and its store accepts commits. Otherwise, answers 503.
 * (SRV-16)
 */
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
        // Only the number is shown, because ids of sessions are private to their owners.
        ...(damagedSessions.length > 0 && { damagedSessions: damagedSessions.length }),
      });
    } catch {
      // The reason may contain file names, so it is not sent to the client.
      response.status(503).json({ status: "unhealthy", uptime: uptime() });
    }
  };
}
