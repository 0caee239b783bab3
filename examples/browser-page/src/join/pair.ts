import type { Device } from "./device.js";

/** A code, and the name that this device wants. */
export interface PairRequest {
  readonly code: string;
  readonly name: string;
  /** Token of an earlier pairing of this device. The new token replaces it. */
  readonly earlierToken: string | undefined;
}

/** Exchanges a code for a token of this device. The code is sent in the body, because URLs are logged. */
export async function pair(url: URL, { code, name, earlierToken }: PairRequest): Promise<Device> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(earlierToken !== undefined && { Authorization: `Bearer ${earlierToken}` }),
    },
    body: JSON.stringify({ code, name }),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(answer?.error?.message ?? `the endpoint answered ${response.status}`);
  return { token: answer.token, name: answer.name, role: answer.role };
}
