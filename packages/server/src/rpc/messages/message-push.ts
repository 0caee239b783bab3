import type { Ticket } from "@dt/schema";
import type { ReceivedMessage } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import { ownConfigsOf, toStoredKey } from "../push/own-configs.js";
import { getPushes } from "../push/push-methods.js";
import type { AttachedPush } from "../push/push-port.js";
import type { RpcContext } from "../rpc-context.js";

/** A checked push config that a client sent with a message. */
export interface MessagePush {
  /** Sets the config of a message that is not passed to the agent. */
  set(subject: PushSubject): Promise<void>;
  /** Sets the config of a message that was accepted before, unless the task has the config already. */
  add(subject: PushSubject): Promise<void>;
  /** Attaches the config to its message, so that both are committed together. */
  attach(subject: PushSubject & { readonly messageId: string }): Promise<AttachedPush>;
}

/** The task of a config. */
export interface PushSubject {
  readonly host: SessionHost;
  readonly taskId: string;
}

/** Checks the config of a message before the message is delivered. */
export function parseMessagePush(
  { config, path }: NonNullable<ReceivedMessage["push"]>,
  context: RpcContext,
): MessagePush {
  const pushes = getPushes(context);
  const { caller } = context;
  const target = pushes.parse(config, path, context);
  // A config without an id gets the id of the task, so a client may send the same config with every message.
  const requestOf = ({ host, taskId }: PushSubject) => {
    const { contextId } = host.log;
    const own = ownConfigsOf(host.session, context);
    const key = toStoredKey(own, { taskId, configId: config.id ?? taskId });
    return { ...key, contextId, target: own.toStoredTarget(target) };
  };
  return {
    async set(subject) {
      await pushes.set(requestOf(subject));
    },
    async add(subject) {
      const request = requestOf(subject);
      const known = await pushes.list(request.taskId);
      if (!known.some(({ configId }) => configId === request.configId)) await pushes.set(request);
    },
    attach({ messageId, ...subject }) {
      const message = { user: caller.user, messageId };
      return pushes.attach(requestOf(subject), { message, log: subject.host.log });
    },
  };
}

/** Delivers a message with its push config. If the message is refused, the config is dropped. */
export async function withPush<TTicket extends Ticket>(
  push: MessagePush | undefined,
  subject: PushSubject & { readonly messageId: string },
  deliver: () => Promise<TTicket>,
): Promise<TTicket> {
  const attached = await push?.attach(subject);
  try {
    const ticket = await deliver();
    await attached?.settle(ticket.afterPosition);
    return ticket;
  } catch (reason) {
    attached?.drop();
    throw reason;
  }
}
