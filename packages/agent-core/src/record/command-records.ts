import { receiptOf } from "./prompt-records.js";
import type { Recorder } from "./recorder.js";
import type { AcceptedPrompt } from "./session-state.js";

/** The result of a concurrent command. */
export type CommandEnd =
  | { readonly state: "completed"; readonly said?: string | undefined }
  | { readonly state: "failed"; readonly error: string };

/** Records a concurrent command as one task in one commit. */
export async function recordCommand(
  recorder: Recorder,
  command: AcceptedPrompt,
  end: CommandEnd,
): Promise<number> {
  const { turn, taskId, messageId, parts, origin } = command;
  const { state } = end;
  const said = end.state === "completed" ? end.said : undefined;
  return await recorder.commit({
    journal: [{ type: "command-ran", turn, taskId, state }],
    receipt: receiptOf(command),
    events: [
      { kind: "USER_PROMPT", messageId, parts, origin, state: "submitted" },
      { kind: "STATE_CHANGE" },
      ...(said ? [{ kind: "TEXT_CONTENT" as const, text: said }] : []),
      { kind: "STATE_CHANGE", state, ...(end.state === "failed" && { error: end.error }) },
    ],
    turn: { turn, taskId },
  });
}
