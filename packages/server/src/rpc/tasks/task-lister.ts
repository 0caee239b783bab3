import { ProtocolError } from "@dt/schema";
import type { SessionStore } from "../../store/session-store.js";

/** Lists and reads tasks without opening their sessions. */
export type TaskLister = Pick<
  SessionStore,
  "listTasks" | "findView" | "readEvents" | "findSession"
>;

/** Returns the lister of a server; throws `unsupported-operation` if the server has no lister. */
export function listerOf({ tasks }: { readonly tasks?: TaskLister }): TaskLister {
  if (tasks !== undefined) return tasks;
  throw new ProtocolError("unsupported-operation", "this agent does not list tasks");
}
