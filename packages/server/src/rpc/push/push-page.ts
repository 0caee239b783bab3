import { failAt } from "@dt/schema";
import type { PushRecord } from "../../store/push-record.js";

/** A query for a page of configs. Without a size, the page has all configs after the token. */
export interface PushPageQuery {
  readonly pageSize?: number;
  readonly pageToken?: string;
}

/** One page of configs. */
export interface PushPage {
  readonly pushes: readonly PushRecord[];
  /** Token for the next page; absent on the last page. */
  readonly nextPageToken?: string;
}

/** Returns a page of configs. They are sorted by id, so that a new config does not change the order. Pure. */
export function pagePushes(
  pushes: readonly PushRecord[],
  { pageSize = 0, pageToken = "" }: PushPageQuery,
): PushPage {
  const after = pageToken === "" ? "" : decodeToken(pageToken);
  const left = pushes
    .filter(({ configId }) => configId > after)
    .sort((one, other) => (one.configId < other.configId ? -1 : 1));
  const page = left.slice(0, pageSize === 0 ? undefined : pageSize);
  const last = page.at(-1);
  if (last === undefined || page.length === left.length) return { pushes: page };
  return { pushes: page, nextPageToken: encodeToken(last.configId) };
}

function encodeToken(configId: string): string {
  return Buffer.from(configId).toString("base64url");
}

function decodeToken(token: string): string {
  const configId = Buffer.from(token, "base64url").toString();
  if (encodeToken(configId) === token) return configId;
  failAt("pageToken", "expected a token from an earlier page of this list");
}
