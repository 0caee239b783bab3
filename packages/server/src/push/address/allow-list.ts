import { type AllowList, AllowListError, parseAllowList } from "@dt/schema/address";
import { SetupError } from "../../errors/setup-error.js";

/** Reads who may be called although it is not on the public internet; throws {@link SetupError}. */
export function parsePushAllowList(entries: readonly string[]): AllowList {
  try {
    return parseAllowList(entries);
  } catch (cause) {
    if (!(cause instanceof AllowListError)) throw cause;
    throw new SetupError(`the allow list of pushes (DT_PUSH_ALLOW): ${cause.message}`, { cause });
  }
}
