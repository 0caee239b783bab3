import type { Ticket } from "@dt/schema";
import type { ReceivedMessage } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import { getPushes } from "../push/push-methods.js";
import type { AttachedPush } from "../push/push-port.js";
import type { RpcContext } from "../rpc-context.js";

/** A push config that came with a message, checked. */
export interface MessagePush {
  /** Sets it for a message that changes nothing. */
  set(place: PushPlace): Promise<void>;
  /** Sets it for a message that was taken before, unless it came with that already. */
  add(place: PushPlace): Promise<void>;
  /** Lets it become durable with the message, once that is taken. */
  attach(place: PushPlace & { readonly messageId: string }): Promise<AttachedPush>;
}

/** The task that a config is about. */
export interface PushPlace {
  readonly host: SessionHost;
  readonly taskId: string;
}

/** Checks the config of a message before anything is done about either. */
export function parseMessagePush(
  { config, path }: NonNullable<ReceivedMessage["push"]>,
  context: RpcContext,
): MessagePush {
  const pushes = getPushes(context);
  const { caller } = context;
  const target = pushes.parse(config, path, context);
  // Without a name it is the task's own: a client that sends it with every message has one of it.
  const requestOf = ({ host, taskId }: PushPlace) => {
    const { contextId } = host.log;
    return { taskId, configId: config.id ?? taskId, contextId, target };
  };
  return {
    async set(place) {
      await pushes.set(requestOf(place));
    },
    async add(place) {
      const request = requestOf(place);
      const known = await pushes.list(request.taskId);
      if (!known.some(({ configId }) => configId === request.configId)) await pushes.set(request);
    },
    attach({ messageId, ...place }) {
      const message = { user: caller.user, messageId };
      return pushes.attach(requestOf(place), { message, log: place.host.log });
    },
  };
}

/** Delivers a message with its push config: both are taken, or neither. */
export async function withPush<TTaken extends Ticket>(
  push: MessagePush | undefined,
  place: PushPlace & { readonly messageId: string },
  deliver: () => Promise<TTaken>,
): Promise<TTaken> {
  const attached = await push?.attach(place);
  try {
    const taken = await deliver();
    await attached?.settle(taken.afterPosition);
    return taken;
  } catch (reason) {
    attached?.drop();
    throw reason;
  }
}
