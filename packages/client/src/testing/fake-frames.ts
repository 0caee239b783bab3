import {
  type ExtensionUris,
  isCompatibleUri,
  isObject,
  type JsonObject,
  type SessionEvent,
  type TaskView,
} from "@dt/schema";
import {
  type A2aSpelling,
  type Activation,
  activatesExtension,
  encodeEventFrame,
  encodeTask,
} from "@dt/schema/wire";

/** One frame of a fake stream. */
export interface FakeFrame {
  readonly result: JsonObject;
  readonly cursor?: string;
}

/** Version and extensions of one caller. */
export interface FakeDialect {
  readonly spelling: A2aSpelling;
  readonly activation: Activation;
}

/** Encodes an event as a frame. */
export function eventFrame(event: SessionEvent, dialect: FakeDialect, isFinal: boolean): FakeFrame {
  const { spelling, activation } = dialect;
  const result = spelling.encodeFrame(encodeEventFrame(event, activation, isFinal));
  return withCursor(result, event, dialect);
}

/** Encodes a task as a frame, with its last `historyLength` messages. Default: all messages. */
export function taskFrame(view: TaskView, dialect: FakeDialect, historyLength?: number): FakeFrame {
  const { spelling, activation } = dialect;
  const task = encodeTask(view, {
    activation,
    ...(historyLength !== undefined && { historyLength }),
  });
  return withCursor(spelling.encodeFrame({ type: "task", task }), view, dialect);
}

/** Encodes a task as the result of a method, such as the request for a task. */
export function spellTask(
  view: TaskView,
  { spelling, activation }: FakeDialect,
  historyLength?: number,
): JsonObject {
  const length = historyLength === undefined ? {} : { historyLength };
  return spelling.encodeTask(encodeTask(view, { activation, ...length }));
}

/** Returns the extensions that a caller has activated, by its headers or in its message. */
export function activationOf(
  params: unknown,
  headers: readonly string[],
  { uris, hasSession }: { readonly uris: ExtensionUris; readonly hasSession: boolean },
  spelling: A2aSpelling,
): Activation {
  const json = isObject(params) ? params.message : undefined;
  const message = json === undefined ? undefined : spelling.decodeMessage(json, "message");
  const isActive = (uri: string) =>
    headers.some((header) => isCompatibleUri(uri, header)) ||
    (message !== undefined && activatesExtension(message, uri));
  const session = hasSession && isActive(uris.session);
  return { uris, session, developmentTool: session || isActive(uris.developmentTool) };
}

function withCursor(
  result: JsonObject,
  { cursor }: { readonly cursor?: string },
  { activation }: FakeDialect,
): FakeFrame {
  return cursor === undefined || !activation.session ? { result } : { result, cursor };
}
