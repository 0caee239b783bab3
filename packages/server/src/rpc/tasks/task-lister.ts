import type { SessionStore } from "../../store/session-store.js";

/** Finds an owner's tasks, page by page, and reads them without opening their sessions. */
export type TaskLister = Pick<SessionStore, "listTasks" | "findView" | "readEvents">;
