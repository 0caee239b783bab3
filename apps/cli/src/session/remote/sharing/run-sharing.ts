import type { AccessGrant, AccessList, AgentClient } from "@dt/client";
import type { SharingCommand } from "./parse-sharing.js";

/** The session that a command shares. */
export interface SharingScope {
  readonly client: Pick<AgentClient, "sharing">;
  readonly contextId: string;
  /** Address of the server, for links. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Runs a command for sharing; resolves with the lines to show. */
export async function runSharing(
  command: SharingCommand,
  { client: { sharing }, contextId, url, signal }: SharingScope,
): Promise<readonly string[]> {
  switch (command.type) {
    case "share": {
      const { type: _, ...wanted } = command;
      const { grant, link } = await sharing.share(contextId, { ...wanted, signal });
      if (link === undefined) return [`shared: ${describeGrant(grant)}`];
      // The secret is after the `#`, so that no server and no proxy logs it.
      return [`dt attach '${url}#${link}'`, `this link is shown once: ${describeGrant(grant)}`];
    }
    case "unshare": {
      const ended = await sharing.unshare(contextId, command.which, { signal });
      return [`${ended} ${ended === 1 ? "grant was" : "grants were"} taken back`];
    }
    case "access":
      return accessLines(await sharing.access(contextId, { signal }));
  }
}

/** Lists who may use a session, and who is connected. */
export function accessLines({ owner, grants, clients }: AccessList): readonly string[] {
  const connected = clients.map(({ name, principal }) => name || principal);
  return [
    `owner: ${owner}`,
    ...grants.map((grant) => `${grant.grantId}  ${describeGrant(grant)}`),
    `connected: ${connected.length === 0 ? "nobody" : connected.join(", ")}`,
  ];
}

function describeGrant({ user, role, expiresAt, linkId }: AccessGrant): string {
  const until = `${expiresAt.slice(0, 16).replace("T", " ")}Z`;
  const by = linkId === "" ? "" : ` by the link ${linkId}`;
  return `${user === "" ? "whoever holds the link" : user} has the role ${role}${by} until ${until}`;
}
