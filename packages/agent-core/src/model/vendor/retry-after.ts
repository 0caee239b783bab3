import { findProperty } from "./find-property.js";

/** Finds the wait that a response asks for: in its headers, else in the RetryInfo of a Google error. */
export function findRetryAfterMs(headers: Headers, body: unknown): number | undefined {
  return (
    fromMilliseconds(headers.get("retry-after-ms")) ??
    fromSeconds(headers.get("retry-after")) ??
    fromDate(headers.get("retry-after"), headers.get("date")) ??
    fromRetryInfo(body)
  );
}

/** Reads `{error: {details: [{"@type": "…RetryInfo", retryDelay: "1.5s"}]}}` (google.rpc.Status). */
export function fromRetryInfo(body: unknown): number | undefined {
  const details = findProperty(findProperty(body, "error"), "details");
  if (!Array.isArray(details)) return undefined;
  const delays = details.map((detail) =>
    /^([\d.]+)s$/.exec(String(findProperty(detail, "retryDelay"))),
  );
  return fromSeconds(delays.find((match) => match !== null)?.[1] ?? null);
}

function fromMilliseconds(value: string | null): number | undefined {
  const number = value === null || value === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function fromSeconds(value: string | null): number | undefined {
  const number = fromMilliseconds(value);
  return number === undefined ? undefined : number * 1000;
}

// Returns the time between two dates. Both come from the vendor, so a wrong clock on this machine does not
// matter.
function fromDate(value: string | null, sent: string | null): number | undefined {
  const ms = Date.parse(value ?? "") - Date.parse(sent ?? "");
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
