/** Something that the operator must put right before anything can start. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
