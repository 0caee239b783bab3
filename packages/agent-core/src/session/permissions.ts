import { type Caller, type Permission, ProtocolError } from "@dt/schema";
import { mayForget } from "../commands/builtin/session/permissions.js";
import type { SessionParts } from "./session-parts.js";

/** Lists the remembered answers of a session. */
export function listPermissions({ recorder }: SessionParts): readonly Permission[] {
  return recorder.state.remembered.map(({ number, words, principal, name }) => ({
    number,
    covers: words,
    givenBy: { principal, name },
  }));
}

/** Removes the remembered answers with these numbers; returns false if no answer has one of these numbers. */
export async function forgetPermissions(
  numbers: readonly number[],
  caller: Caller,
  parts: SessionParts,
): Promise<boolean> {
  const { recorder } = parts;
  const matching = recorder.state.remembered.filter(({ number }) => numbers.includes(number));
  const foreign = matching.find((answer) => !mayForget(answer, parts.toCommandCaller(caller)));
  if (foreign !== undefined) {
    throw new ProtocolError(
      "forbidden",
      `answer ${foreign.number} was given by ${foreign.name}; only they or the host's terminal can remove it`,
    );
  }
  if (matching.length === 0) return false;
  await recorder.commit({
    journal: [{ type: "forgotten", numbers: matching.map(({ number }) => number) }],
  });
  return true;
}
