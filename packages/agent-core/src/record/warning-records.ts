import type { Recorder } from "./recorder.js";

/** Announces warnings in the running turn. Leaves out warnings that the session has announced before. */
export async function announceWarnings(
  recorder: Recorder,
  warnings: readonly string[],
): Promise<void> {
  const { warned } = recorder.state;
  const messages = [...new Set(warnings)].filter((message) => !warned.includes(message));
  if (messages.length === 0) return;
  await recorder.commit({
    journal: [{ type: "warned", messages }],
    events: messages.map((message) => ({ kind: "WARNING", warning: { message } })),
  });
}
