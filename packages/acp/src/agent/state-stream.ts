import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { FaceState } from "@dt/schema";
import { encodeCommands, encodeConfigOptions } from "../mapping/session-options.js";
import { notice } from "../mapping/update-table.js";
import type { Editor } from "./editor.js";
import type { EditorSession } from "./editor-host.js";

/** Shows commands, mode and model of a session to the editor. */
export interface StateStream {
  /** The newest state. */
  state(): FaceState;
  /** Shows the commands now, and each later change of the state; resolves when the session is closed. */
  follow(): Promise<void>;
}

/** Opens the stream; resolves when the first state is known. */
export async function openStateStream(
  editor: Editor,
  { face, models }: EditorSession,
  signal: AbortSignal,
): Promise<StateStream> {
  const states = face.states(signal)[Symbol.asyncIterator]();
  const first = await states.next();
  if (first.done === true) throw new Error(`the session ${face.contextId} was closed`);
  let state = first.value;
  return {
    state: () => state,
    async follow() {
      await editor.show(face.contextId, [toCommandsUpdate(state)]);
      for (let next = await states.next(); next.done !== true; next = await states.next()) {
        const before = state;
        state = next.value;
        await editor.show(face.contextId, findChanges(before, state, { models, editor }));
      }
    },
  };
}

/** Returns the updates that lead from one state to the next. Pure. */
export function findChanges(
  before: FaceState,
  after: FaceState,
  { models, editor }: { models: readonly string[]; editor: Pick<Editor, "showsNotices"> },
): readonly SessionUpdate[] {
  const { mode, model, trouble } = after.status;
  const isOtherMode = before.status.mode !== mode;
  const isOtherOption = isOtherMode || before.status.model !== model;
  const isNewTrouble = trouble !== undefined && before.status.trouble !== trouble;
  return [
    ...(isSame(before.commands, after.commands) ? [] : [toCommandsUpdate(after)]),
    ...(isOtherMode && mode !== undefined
      ? [{ sessionUpdate: "current_mode_update" as const, currentModeId: mode }]
      : []),
    ...(isOtherOption
      ? [
          {
            sessionUpdate: "config_option_update" as const,
            configOptions: encodeConfigOptions(after.status, models),
          },
        ]
      : []),
    ...(isNewTrouble ? notice("warning", trouble, editor) : []),
  ];
}

/** Compares the contents, because the agent lists its commands anew after each event. */
function isSame(one: FaceState["commands"], other: FaceState["commands"]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function toCommandsUpdate({ commands }: FaceState): SessionUpdate {
  return {
    sessionUpdate: "available_commands_update",
    availableCommands: encodeCommands(commands),
  };
}
