import { realpath } from "node:fs/promises";
import type { ListedSessions, SessionListQuery } from "@dt/acp";
import { ProtocolError, showControlOnLine } from "@dt/schema";
import type { SessionStore } from "@dt/server";

const PAGE_SIZE = 100;

/** Maximum number of sessions on all pages together. */
const MAX_LISTED = 1_000;

const MAX_TITLE_LENGTH = 100;

/**
 * Lists a page of stored sessions, the latest first. The cursor is the id of the last session on the
 * previous page.
 */
export async function listEditorSessions(
  store: Pick<SessionStore, "listSessions">,
  { owner, directory, cursor }: SessionListQuery & { readonly owner: string },
): Promise<ListedSessions> {
  const workspacePath = directory && (await realpath(directory).catch(() => directory));
  const found = await store.listSessions({
    owner,
    limit: MAX_LISTED,
    ...(workspacePath !== undefined && { workspacePath }),
  });
  const start = cursor === undefined ? 0 : findStart(found, cursor);
  const page = found.slice(start, start + PAGE_SIZE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ contextId, settings, lastPrompt, lastActiveAt }) => ({
      sessionId: contextId,
      directory: settings.workspacePath,
      updatedAt: lastActiveAt,
      ...(lastPrompt !== undefined && {
        title: showControlOnLine(lastPrompt).slice(0, MAX_TITLE_LENGTH),
      }),
    })),
    ...(last !== undefined && start + PAGE_SIZE < found.length && { next: last.contextId }),
  };
}

function findStart(found: readonly { readonly contextId: string }[], cursor: string): number {
  const index = found.findIndex(({ contextId }) => contextId === cursor);
  if (index >= 0) return index + 1;
  throw new ProtocolError(
    "invalid-message",
    "cursor: the list has changed; list the sessions again without a cursor",
  );
}
