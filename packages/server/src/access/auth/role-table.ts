import { type Caller, includesRole, ProtocolError, type Role } from "@dt/schema";
import type { Operation } from "@dt/schema/wire";

/** One row of the table of roles. */
export interface RoleRule {
  /** The lowest role that has the right. */
  readonly role: Role;
  /** Effect of a request that uses the right. Documents and errors write it after "a request that". */
  readonly effect: string;
  /** Routes that use the right and are not part of A2A, if there are any. */
  readonly routes?: readonly string[];
}

/**
 * Something that a role allows: an operation, a part of an operation that needs a higher role, or a route
 * that is not part of A2A.
 */
export type Right =
  | Operation
  | "answer"
  | "auto-execute"
  | "create-task"
  | "get-metadata"
  | "list-metadata"
  | "read-metrics";

/**
 * The lowest role of each right, in the order of the roles. Documents and tests derive from this table.
 *
 * No role gives access to the sessions of other users. Only a grant by the owner does. A guest then has the
 * lower of two roles: the role of the grant, and the guest's own.
 */
export const ROLE_TABLE = {
  get: { role: "observe", effect: "reads a task", routes: ["GET /tasks/{id}"] },
  list: { role: "observe", effect: "lists own tasks", routes: ["GET /tasks"] },
  subscribe: { role: "observe", effect: "follows a task" },
  "follow-session": { role: "observe", effect: "follows a session" },
  "get-metadata": {
    role: "observe",
    effect: "reads the metadata of a task",
    routes: ["GET /tasks/{id}/metadata"],
  },
  "list-metadata": {
    role: "observe",
    effect: "lists the metadata of own tasks",
    routes: ["GET /tasks/metadata"],
  },
  "get-push-config": { role: "observe", effect: "reads a push config" },
  "list-push-configs": { role: "observe", effect: "lists the push configs of a task" },
  "list-commands": {
    role: "observe",
    effect: "lists slash commands",
    routes: ["GET /listCommands"],
  },
  "extended-card": { role: "observe", effect: "reads the extended card" },
  "end-client": { role: "observe", effect: "ends the client and its mode" },
  "session-access": {
    role: "observe",
    effect: "lists who may use a session and who is connected",
    routes: ["GET /sessions/{id}/access"],
  },
  "join-session": {
    role: "observe",
    effect: "joins a session by a link",
    routes: ["POST /sessions:join"],
  },
  "list-granted": {
    role: "observe",
    effect: "lists sessions that others share with the caller",
    routes: ["GET /sessions:shared"],
  },
  send: { role: "prompt", effect: "sends a prompt and waits for the result" },
  stream: {
    role: "prompt",
    effect: "sends a prompt and streams its events",
    routes: ["POST /message/stream", "POST /tasks/{id}/execute", "POST /tasks/{id}/messages"],
  },
  "create-task": {
    role: "prompt",
    effect: "creates a task that waits for its prompt",
    routes: ["POST /tasks"],
  },
  cancel: { role: "prompt", effect: "cancels the work of a task" },
  "execute-command": {
    role: "prompt",
    effect: "runs a slash command",
    routes: ["POST /executeCommand"],
  },
  "set-push-config": { role: "prompt", effect: "sets a push config" },
  "delete-push-config": { role: "prompt", effect: "deletes a push config" },
  answer: { role: "approve", effect: "answers a question by a message" },
  "share-session": {
    role: "approve",
    effect: "shares an own session with a user or by a link",
    routes: ["POST /sessions/{id}/grants"],
  },
  "unshare-session": {
    role: "approve",
    effect: "takes back a grant on an own session",
    routes: ["DELETE /sessions/{id}/grants/{grantId}"],
  },
  "auto-execute": {
    role: "approve",
    effect:
      "runs tools without questions: `auto_execute` in settings, `/mode auto-edit`, `/mode yolo`",
  },
  "read-metrics": { role: "admin", effect: "reads the metrics", routes: ["GET /metrics"] },
} as const satisfies Readonly<Record<Right, RoleRule>>;

/** Throws `forbidden` if the role that a guest has in a session does not include a right. */
export function checkSessionRole(role: Role, right: Right): void {
  const { role: requiredRole, effect } = ROLE_TABLE[right];
  if (includesRole(role, requiredRole)) return;
  throw new ProtocolError(
    "forbidden",
    `a request that ${effect} needs the role ${requiredRole}, and yours in this session is ${role}; ask its owner`,
    { data: { role, requiredRole } },
  );
}

/** Throws `forbidden` if a role does not include a right. */
export function checkRole({ role }: Pick<Caller, "role">, right: Right): void {
  const { role: requiredRole, effect } = ROLE_TABLE[right];
  if (includesRole(role, requiredRole)) return;
  throw new ProtocolError(
    "forbidden",
    `a request that ${effect} needs the role ${requiredRole}, and yours is ${role}; use a token with that role`,
    { data: { role, requiredRole } },
  );
}
