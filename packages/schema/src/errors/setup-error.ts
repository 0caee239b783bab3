/** Something that a person must correct before a program can start or connect; the message says how. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}
