import { SetupError } from "@dt/schema";
import { type AllowList, AllowListError, parseAllowList } from "@dt/schema/address";

/** Parses the list of private hosts that may be called. Throws {@link SetupError} for an invalid entry. */
export function parsePushAllowList(entries: readonly string[]): AllowList {
  try {
    return parseAllowList(entries);
  } catch (cause) {
    if (!(cause instanceof AllowListError)) throw cause;
    throw new SetupError(`the allow list of pushes (DT_PUSH_ALLOW): ${cause.message}`, { cause });
  }
}
