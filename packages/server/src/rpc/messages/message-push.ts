import type { Ticket } from "@dt/schema";
import type { ReceivedMessage } from "@dt/schema/wire";
import type { SessionHost } from "../../sessions/session-host.js";
import { getPushes } from "../push/push-methods.js";
import type { AttachedPush } from "../push/push-port.js";
import type { RpcContext } from "../rpc-context.js";

/** A push config that came with a message and was checked. */
export interface MessagePush {
  /** Sets the config for a message that is not delivered itself. */
  set(subject: PushSubject): Promise<void>;
  /** Sets the config for a message that was accepted before, unless the task has the config already. */
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
  // A config without an id gets that of the task, so that sending it with every message sets only one.
  const requestOf = ({ host, taskId }: PushSubject) => {
    const { contextId } = host.log;
    return { taskId, configId: config.id ?? taskId, contextId, target };
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

/** Delivers a message with its push config: both are accepted, or neither. */
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
