import type { PermissionMode } from "@dt/schema";
import { receiptOf } from "./prompt-records.js";
import type { Recorder } from "./recorder.js";
import type { AcceptedPrompt } from "./session-state.js";

/** The result of a concurrent command. */
export type CommandEnd =
  | {
      readonly state: "completed";
      readonly said?: string | undefined;
      /** Mode that the command has set for the prompts of its caller. */
      readonly mode?: PermissionMode | undefined;
    }
  | { readonly state: "failed"; readonly error: string };

/** Records a concurrent command, from its prompt to its end, as a task of its own in one commit. */
export async function recordCommand(
  recorder: Recorder,
  command: AcceptedPrompt,
  end: CommandEnd,
): Promise<number> {
  const { turn, taskId, messageId, parts, origin } = command;
  const { state } = end;
  const { said, mode } = end.state === "completed" ? end : {};
  return await recorder.commit({
    journal: [{ type: "command-ran", turn, taskId, state }],
    receipt: receiptOf(command),
    events: [
      { kind: "USER_PROMPT", messageId, parts, origin, state: "submitted" },
      { kind: "STATE_CHANGE" },
      ...(mode ? [{ kind: "MODE" as const, mode: { mode, origin } }] : []),
      ...(said ? [{ kind: "TEXT_CONTENT" as const, text: said }] : []),
      { kind: "STATE_CHANGE", state, ...(end.state === "failed" && { error: end.error }) },
    ],
    turn: { turn, taskId },
  });
}
