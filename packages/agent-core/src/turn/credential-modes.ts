import type { HeldMode, PermissionMode } from "@dt/schema";
import { stricterMode } from "../confirmation/freer-mode.js";
import type { AcceptedPrompt, SessionState } from "../record/session-state.js";

/** The modes that credentials have set in one session. They are kept in memory only. */
export interface CredentialModes {
  /** Returns the mode of a credential. It applies to prompts that set no mode themselves. */
  find(credential: string | undefined): PermissionMode;
  set(credential: string, mode: HeldMode): void;
  /** Returns the mode of the running turn. The mode may change when the turn's credential ends. */
  ofTurn(): PermissionMode;
  /**
   * Returns the modes that live credentials other than `except` have set. If the prompt of the running turn set
   * a mode, and `except` did not send that prompt, the mode of the prompt is included.
   */
  others(except: string | undefined): readonly HeldMode[];
}

/** Options of {@link createCredentialModes}. */
export interface CredentialModesOptions {
  readonly startMode: PermissionMode;
  /** The freest allowed mode. It replaces every freer mode that somebody sets. */
  readonly maxMode: PermissionMode;
  /** Returns true until the credential ends. */
  isAlive(credential: string): boolean;
  state(): SessionState;
}

/**
 * Creates the modes of a session. Until a credential sets a mode, `startMode` applies. No returned mode is freer
 * than `maxMode`, whatever a setting, a client, a prompt or the journal says.
 */
export function createCredentialModes(options: CredentialModesOptions): CredentialModes {
  const { maxMode, isAlive, state } = options;
  const limit = (mode: PermissionMode) => stricterMode(mode, maxMode);
  const startMode = limit(options.startMode);
  const modes = new Map<string, HeldMode>();

  // Returns the mode of a credential. An ended credential keeps its mode only if that mode is stricter than
  // `startMode`, so that a client cannot leave a stricter mode by disconnecting.
  function find(credential: string | undefined): PermissionMode {
    const own = credential === undefined ? undefined : modes.get(credential);
    if (credential === undefined || own === undefined) return startMode;
    return isAlive(credential) ? own.mode : stricterMode(own.mode, startMode);
  }

  /** Drops the modes of ended credentials that have no waiting or running prompt. */
  function prune(): void {
    const { turn, queue } = state();
    const prompts = [...(turn === undefined ? [] : [turn.prompt]), ...queue];
    const needed = new Set(prompts.map(({ credential }) => credential));
    for (const credential of modes.keys()) {
      if (!isAlive(credential) && !needed.has(credential)) modes.delete(credential);
    }
  }

  return {
    find,
    set(credential, mode) {
      prune();
      modes.set(credential, { ...mode, mode: limit(mode.mode) });
    },
    ofTurn() {
      const { turn, taskModes } = state();
      if (turn === undefined) return startMode;
      const { mode, taskMode, taskId, credential } = turn.prompt;
      const ofTask = taskModes[taskId];
      const isCovered = ofTask !== undefined && isSameSender(ofTask, turn.prompt);
      const isConnected = credential === undefined || isAlive(credential);
      const covering = isCovered && isConnected ? ofTask.mode : undefined;
      return limit(mode ?? taskMode ?? covering ?? find(credential));
    },
    others(except) {
      const alive = [...modes].filter(
        ([credential]) => credential !== except && isAlive(credential),
      );
      const held = [...alive.map(([, mode]) => mode), ...ownModeOfTurn(state(), except)];
      return held.map((each) => ({ ...each, mode: limit(each.mode) }));
    },
  };
}

function ownModeOfTurn({ turn }: SessionState, except: string | undefined): readonly HeldMode[] {
  const { credential, origin, mode, taskMode } = turn?.prompt ?? {};
  const own = mode ?? taskMode;
  if (own === undefined || origin === undefined || credential === except) return [];
  return [{ name: origin.name, mode: own }];
}

function isSameSender(
  ofTask: { readonly principal: string; readonly credential?: string },
  { origin, credential }: AcceptedPrompt,
): boolean {
  return ofTask.principal === origin.principal && ofTask.credential === credential;
}
