/** A mistake in the set-up that the operator must mend before the server can start. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
