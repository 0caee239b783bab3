import type { SessionEvent } from "../../event/agent-event.js";
import type { ExtensionUris } from "../../extension/extension-uri.js";
import { decodeSendParams } from "../a2a/operations.js";
import { compact } from "../a2a/read-json.js";
import { SERVER_TRAITS } from "../a2a/server-traits.js";
import { spellings } from "../a2a/spellings.js";
import type {
  Dialect,
  DialectFamily,
  DialectTraits,
  DialectVariant,
  PushContent,
  ReceivedMessage,
} from "../dialect.js";
import { rpcFailure } from "../json-rpc.js";
import {
  buildEventFrame,
  buildTask,
  type CanonicalVariant,
  spellQueuedTaskFrame,
  spellTaskFrame,
} from "./canonical-frames.js";
import { type CanonicalMemory, encodeStreamEvent, startStream } from "./canonical-stream.js";
import { decodeClientMessage } from "./client-message-codec.js";
import { isPlain, isShown } from "./plain-client.js";

/** Dialect of a task whose stored record does not contain a dialect. */
export const DEFAULT_DIALECT = "canonical";

/**
 * A2A with the extensions that the client activated. It handles every request that no other family
 * recognises.
 */
export const CANONICAL_FAMILY: DialectFamily = {
  name: DEFAULT_DIALECT,
  recognises: () => true,
  create(uris) {
    const known = new Map<string, Dialect>();
    return (variant) => {
      const key = keyOf(variant);
      const dialect = known.get(key) ?? createCanonicalDialect(variant, uris);
      known.set(key, dialect);
      return dialect;
    };
  },
};

/** Creates the dialect of one version and one set of extensions. */
export function createCanonicalDialect(
  { version, developmentTool, session }: DialectVariant,
  uris: ExtensionUris,
): Dialect<CanonicalMemory> {
  const variant: CanonicalVariant = {
    spelling: spellings[version],
    activation: { uris, developmentTool, session },
  };
  return {
    name: DEFAULT_DIALECT,
    key: keyOf({ version, developmentTool, session }),
    traits: traitsOf(variant),
    sharesFrames: true,
    chunksReply: isPlain(variant.activation),
    decodeMessage: (params) => decodeReceived(params, variant),
    start: (view, stream) => startStream(view, stream, variant),
    encodeEvent: (memory, event, at) => encodeStreamEvent(memory, event, at, variant),
    encodeTask: (view, options) => variant.spelling.encodeTask(buildTask(view, variant, options)),
    encodeReply({ task, queuePosition }, options) {
      // Clients of the session extension get QUEUE events instead of a sentence about the queue.
      return queuePosition > 0 && !session
        ? spellQueuedTaskFrame(task, variant, queuePosition)
        : spellTaskFrame(task, variant, options);
    },
    encodeError: (reason, id) => ({ status: 200, body: rpcFailure(id, reason, version) }),
    encodePush: (event) => encodePush(event, variant),
    encodePushTask(view) {
      const task = buildTask(view, variant, { historyLength: 0 });
      return variant.spelling.encodePush({ type: "task", task });
    },
  };
}

function traitsOf({ spelling, activation }: CanonicalVariant): DialectTraits {
  const { developmentTool } = activation;
  return {
    continuesEndedTasks: spelling.continuesEndedTasks && developmentTool,
    requiresSettings: developmentTool,
    meetsRequiredExtension: developmentTool,
    answersInText: !developmentTool,
    hasOneTask: false,
    framesNameSession: false,
    answersTaskMethods: true,
    staysOpenAtQuestions: false,
    repeatsFromTask: true,
  };
}

function decodeReceived(
  params: unknown,
  { spelling, activation }: CanonicalVariant,
): ReceivedMessage {
  const { message, pushConfig, returnsImmediately, historyLength } = decodeSendParams(
    params,
    spelling,
  );
  const { messageId, taskId, contextId } = message;
  const path = `configuration.${spelling.push.configurationKey}`;
  return compact({
    messageId,
    taskId,
    contextId,
    content: decodeClientMessage(message, activation.uris),
    push: pushConfig && { config: pushConfig, path },
    returnsImmediately,
    historyLength,
  });
}

// Encodes an event for a push receiver. A2A 0.3 posts the whole task when an artifact changes, and
// when the reply to a plain client is complete, because several frameworks only read the artifacts of
// a posted task.
function encodePush(event: SessionEvent, variant: CanonicalVariant): PushContent {
  const { spelling, activation } = variant;
  if (!isShown(event, activation)) return { type: "nothing" };
  const { pushesTasksOnly } = SERVER_TRAITS[spelling.version];
  const frame = buildEventFrame(event, variant, false);
  const isReply = event.state === "completed" && isPlain(activation);
  if (pushesTasksOnly && (isReply || frame.type === "artifact-update")) return { type: "task" };
  const body =
    frame.type === "artifact-update" ? spelling.encodeFrame(frame) : spelling.encodePush(frame);
  return { type: "body", body };
}

function keyOf({ version, developmentTool, session }: DialectVariant): string {
  return `${DEFAULT_DIALECT} ${version} ${developmentTool} ${session}`;
}
