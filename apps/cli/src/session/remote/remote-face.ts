import type { AgentClient, TaskHandle } from "@dt/client";
import type {
  FacePort,
  FaceState,
  Origin,
  Presence,
  SessionEvent,
  SlashCommand,
  StopSignal,
} from "@dt/schema";
import { createStateFeed } from "../state-feed.js";
import { toAbortSignal } from "../to-abort-signal.js";
import { toFaceReply } from "../to-face-reply.js";
import { handleRemote } from "./handle-remote.js";
import { messageOf, openRemoteConversation } from "./remote-conversation.js";
import { readRemoteHistory } from "./remote-history.js";
import { toRemoteStatus } from "./remote-state.js";
import { isNotSharing, SHARING_COMMANDS } from "./sharing/parse-sharing.js";
import { watchPresence } from "./watch-presence.js";

/** Options of {@link openRemoteFace}. */
export interface RemoteFaceOptions {
  readonly client: AgentClient;
  readonly handle: TaskHandle;
  readonly commands: readonly SlashCommand[];
  /** Origin of this face's prompts and answers, as the agent names it. See {@link findJoinedAs}. */
  readonly own: Partial<Origin>;
  /** The presence when this client joined; undefined if it is not known yet. */
  readonly presence?: Presence | undefined;
  readonly url: string;
}

/**
 * Opens the face of a session of another process. The task of the handle and the tasks after it are one
 * conversation. Closing the face leaves the session open.
 */
export function openRemoteFace(options: RemoteFaceOptions): FacePort {
  const { client, handle, own, commands, url } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const feed = createStateFeed<FaceState>(() => ({
    view: conversation.state.view,
    commands: [...commands.filter(isNotSharing), ...SHARING_COMMANDS],
    status: toRemoteStatus(conversation.state, { endpoint: url, ...presence.status() }),
  }));
  const onChange = () => feed.notify();
  const conversation = openRemoteConversation({ client, handle, own, signal, onChange });
  const presence = watchPresence(handle, { signal, onChange, first: options.presence });
  const stopListening = client.onConnectionChange((connection) => {
    conversation.advance({ type: "connection", connection });
    void presence.refresh();
  });
  const scope = {
    client,
    handle,
    conversation,
    own,
    url,
    signal,
    states: feed.states,
    async refresh() {
      await presence.refresh();
      feed.notify();
    },
  };

  /**
   * Yields all events of the session. A loop over the handle ends when its task is idle, so each new state of
   * the face starts another loop.
   */
  async function* followEvents(
    until: AbortSignal,
    start: string | undefined,
  ): AsyncGenerator<readonly SessionEvent[], void, undefined> {
    let after = start;
    for await (const _ of feed.states(until)) {
      const from = after === undefined ? {} : { after };
      try {
        for await (const event of handle.events({ ...from, signal: until })) {
          after = event.cursor ?? after;
          yield [event];
        }
      } catch (reason) {
        if (until.aborted) return;
        conversation.advance({ type: "fault", message: messageOf(reason) });
        throw reason;
      }
    }
  }

  const untilClosed = (stop: StopSignal) => AbortSignal.any([signal, toAbortSignal(stop)]);

  return {
    contextId: handle.contextId,
    traits: { own, canWithdraw: false },
    handle: (request) => toFaceReply(() => handleRemote(request, scope)),
    states: (stop) => feed.states(untilClosed(stop)),
    events(stop) {
      const ended = untilClosed(stop);
      if (!client.followsSessions) return conversation.events(ended);
      return followEvents(ended, conversation.state.view.cursor);
    },
    history: (stop) => readRemoteHistory(client, handle.taskId, untilClosed(stop)),
    async close() {
      closing.abort();
      feed.notify();
      feed.close();
      stopListening();
      client.close();
      await conversation.idle();
    },
  };
}
