import type { SessionStore } from "../../store/session-store.js";

/** Lists and reads tasks without opening their sessions. */
export type TaskLister = Pick<SessionStore, "listTasks" | "findView" | "readEvents">;
