import { ProtocolError } from "@dt/schema";
import type { Request } from "express";
import { decodePageToken } from "../../store/task-page.js";

type Query = Request["query"];

/** The page of a list that a query asks for. */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
}

/** Reads `?limit&after`. Throws `invalid-message` with the name of a bad parameter. */
export function readPageQuery(query: Query): PageQuery {
  const limit = readText(query, "limit");
  const after = readText(query, "after");
  if (limit !== undefined && !/^[1-9]\d{0,14}$/.test(limit))
    throw fault("limit", "expected a whole number of at least 1");
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(after !== undefined && { after: checkToken(after) }),
  };
}

/** Reads one parameter; undefined if it is absent. */
export function readText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === "string") return value;
  throw fault(name, "expected one value");
}

function checkToken(after: string): string {
  try {
    decodePageToken(after);
    return after;
  } catch {
    throw fault("after", "expected the value of an earlier page's Link header");
  }
}

function fault(name: string, problem: string): ProtocolError {
  return new ProtocolError("invalid-message", `${name}: ${problem}`, { data: { path: name } });
}
