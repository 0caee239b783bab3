import type { ConnectionState } from "@dt/client";
import {
  type FaceStatus,
  isTerminalState,
  openQuestions,
  reduceSessionView,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";

/** State of a session of another process. */
export interface RemoteState {
  readonly view: TaskView;
  /**
   * Id of the open task, if the session is a live session. The task ends with the session. Commands run as
   * separate tasks.
   */
  readonly sharedTaskId?: string;
  readonly connection: ConnectionState;
  /** Reason why the session can no longer be followed. */
  readonly fault?: string;
  /** Texts of prompts that were sent and not confirmed yet. */
  readonly sending: readonly string[];
}

/** One change of a {@link RemoteState}. */
export type RemoteStep =
  | { readonly type: "event"; readonly event: SessionEvent }
  | { readonly type: "view"; readonly view: TaskView }
  | { readonly type: "connection"; readonly connection: ConnectionState }
  | { readonly type: "fault"; readonly message: string }
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "sent"; readonly text: string };

/** Creates the state of a session that was just joined. */
export function startRemote(view: TaskView): RemoteState {
  return withView({ view, connection: { status: "connected" }, sending: [] }, view);
}

/** Applies one step; returns the same state if nothing changes. Pure. */
export function advanceRemote(state: RemoteState, step: RemoteStep): RemoteState {
  switch (step.type) {
    case "event": {
      const { event } = step;
      // A prompt may arrive twice: from `showPrompt` of the conversation, and as an event of its task.
      if (event.kind === "USER_PROMPT" && hasPrompt(state.view, event.messageId)) return state;
      return withView(state, reduceSessionView(state.view, event));
    }
    case "view":
      return withView(state, step.view);
    case "connection":
      return { ...state, connection: step.connection };
    case "fault":
      return { ...state, fault: step.message };
    case "send": {
      const { fault: _, ...rest } = state;
      return { ...rest, sending: [...state.sending, step.text] };
    }
    case "sent": {
      const sentIndex = state.sending.indexOf(step.text);
      return { ...state, sending: state.sending.filter((_, index) => index !== sentIndex) };
    }
  }
}

/** Derives the status that a face shows. Pure. */
export function toRemoteStatus(
  { view, sharedTaskId, connection, fault, sending }: RemoteState,
  known: Pick<FaceStatus, "mode" | "clients" | "endpoint">,
): FaceStatus {
  const isOver = view.taskId === sharedTaskId && isTerminalState(view.state);
  const trouble = fault ?? (isOver ? "the session has ended" : describeTrouble(connection));
  const held = connection.status === "connected" ? [] : sending;
  return {
    model: view.model ?? "",
    ...known,
    ...(trouble !== undefined && { trouble }),
    ...(isOver && { hasEnded: true }),
    ...(held.length > 0 && { held }),
  };
}

/** True if the prompt is an item of the view. */
export function hasPrompt({ items }: TaskView, messageId: string): boolean {
  return items.some(({ event }) => event.kind === "USER_PROMPT" && event.messageId === messageId);
}

function withView(state: RemoteState, view: TaskView): RemoteState {
  // Only the open task of a live session waits for a prompt. Another task may pause between two prompts,
  // but then its queue contains the second prompt.
  const isOpenTask =
    view.state === "input-required" && openQuestions(view).length === 0 && view.queue.length === 0;
  return { ...state, view, ...(isOpenTask && { sharedTaskId: view.taskId }) };
}

function describeTrouble(connection: ConnectionState): string | undefined {
  switch (connection.status) {
    case "connected":
      return undefined;
    case "reconnecting":
      return `connection lost, retrying (${connection.attempt})`;
    case "disconnected":
    case "closed":
      return "disconnected";
  }
}
