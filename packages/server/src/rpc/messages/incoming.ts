import type { ClientMessage } from "@dt/schema/wire";
import type { MessagePush } from "./message-push.js";

/** A message that is being delivered. */
export interface Incoming<TContent extends ClientMessage = ClientMessage> {
  readonly messageId: string;
  /** Task and session that the client named. */
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
  readonly content: TContent;
  /** Digest of the content. */
  readonly digest: string;
  readonly push: MessagePush | undefined;
}

/** A prompt that is being delivered. */
export type IncomingPrompt = Incoming<ClientMessage & { readonly type: "prompt" }>;
