import type { ShareOptions, Unshared } from "@dt/client";
import { ProtocolError, type SlashCommand } from "@dt/schema";

/** A command that shares the session, ends a grant, or lists the people with access. */
export type SharingCommand =
  | ({ readonly type: "share" } & Pick<ShareOptions, "user" | "role" | "ttlSeconds">)
  | { readonly type: "unshare"; readonly which: Unshared }
  | { readonly type: "access" };

/** The commands of `dt attach` for sharing. The agent does not know them. */
export const SHARING_COMMANDS: readonly SlashCommand[] = [
  {
    name: "share",
    description: "Give a user, or whoever holds a link, a role in this session",
    arguments: [
      { name: "user", description: "the user, or --link", isRequired: true },
      { name: "role", description: "observe, prompt or approve", isRequired: true },
      { name: "expiry", description: "for example 7d, 12h or 90m; default 7d", isRequired: false },
    ],
    subCommands: [],
  },
  {
    name: "unshare",
    description: "Take the access of a user or a link back",
    arguments: [{ name: "grant", description: "the user, or the id in /access", isRequired: true }],
    subCommands: [],
  },
  {
    name: "access",
    description: "Show who may use this session, and who is connected",
    arguments: [],
    subCommands: [],
  },
];

/** Returns false for a command of the agent that {@link SHARING_COMMANDS} replace. */
export function isNotSharing({ name }: Pick<SlashCommand, "name">): boolean {
  return !SHARING_COMMANDS.some((command) => command.name === name);
}

const ROLES = ["observe", "prompt", "approve"] as const;
const SECONDS = { m: 60, h: 3_600, d: 86_400 } as const;
const LINK = "--link";

/** Parses a command for sharing. Returns undefined for any other command. Throws if its arguments are wrong. */
export function parseSharing({
  path: [name],
  args,
}: {
  readonly path: readonly string[];
  readonly args: string;
}): SharingCommand | undefined {
  const words = args.split(/\s+/).filter((word) => word !== "");
  if (name === "access") return { type: "access" };
  if (name === "share") return parseShare(words);
  if (name !== "unshare") return undefined;
  const [which] = words;
  if (which === undefined || words.length > 1) throw wrong("/unshare USER or /unshare GRANT-ID");
  return { type: "unshare", which: isGrantId(which) ? { grantId: which } : { user: which } };
}

function parseShare(words: readonly string[]): SharingCommand {
  const [user, wanted, expiry, ...rest] = words;
  const role = ROLES.find((each) => each === wanted);
  const ttlSeconds = expiry === undefined ? undefined : parseExpiry(expiry);
  if (user === undefined || role === undefined || rest.length > 0) {
    throw wrong(
      `/share USER ROLE [EXPIRY] or /share ${LINK} ROLE [EXPIRY]; ROLE is ${ROLES.join(", ")}`,
    );
  }
  return {
    type: "share",
    role,
    ...(user !== LINK && { user }),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
  };
}

function parseExpiry(text: string): number {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined) throw wrong("an expiry such as 7d, 12h or 90m");
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/** Returns true for the id of a grant: 16 hexadecimal digits. */
function isGrantId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

function wrong(expected: string): ProtocolError {
  return new ProtocolError("invalid-message", `expected ${expected}`);
}
