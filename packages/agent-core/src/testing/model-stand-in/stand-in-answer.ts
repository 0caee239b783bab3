/** One step of a stand-in's answer: send bytes, wait, or break the connection. */
export type ModelStandInStep =
  | { readonly type: "send"; readonly bytes: Uint8Array }
  /** Sends the same bytes repeatedly, as fast as they are read, until the client disconnects. */
  | { readonly type: "flood"; readonly bytes: Uint8Array }
  /** Waits for a number of milliseconds, or for a promise. */
  | { readonly type: "wait"; readonly until: number | Promise<unknown> }
  /** Destroys the socket, as a crash or a cut cable would. */
  | { readonly type: "break" };

/** One answer of a stand-in. */
export interface StandInAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly ModelStandInStep[];
}

/** Offsets at which the bytes of an answer are split. */
export interface StandInCuts {
  /** Byte offsets, or every byte separately. Default: one piece for each event. */
  readonly cutAt?: readonly number[] | "every-byte";
}

/** Builds a step that sends text. */
export function send(text: string): ModelStandInStep {
  return { type: "send", bytes: Buffer.from(text) };
}

/** Builds a stream of server-sent events, one for each text. */
export function eventStream(events: readonly string[], { cutAt }: StandInCuts = {}): StandInAnswer {
  const frames = events.map((data) => Buffer.from(`data: ${data}\r\n\r\n`));
  const pieces = cutAt === undefined ? frames : cut(Buffer.concat(frames), cutAt);
  return {
    headers: { "content-type": "text/event-stream" },
    steps: pieces.map((bytes) => ({ type: "send", bytes })),
  };
}

/** Builds a complete JSON answer. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): StandInAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    steps: [send(JSON.stringify(body))],
  };
}

/** Breaks the connection at the end of an answer. */
export function thenBreak(answer: StandInAnswer): StandInAnswer {
  return { ...answer, steps: [...answer.steps, { type: "break" }] };
}

/** Adds a wait to an answer, for a number of milliseconds or until a promise settles. */
export function thenWait(answer: StandInAnswer, until: number | Promise<unknown>): StandInAnswer {
  return { ...answer, steps: [...answer.steps, { type: "wait", until }] };
}

/** Adds an endless repetition of a text to an answer. */
export function thenFlood(answer: StandInAnswer, text: string): StandInAnswer {
  return { ...answer, steps: [...answer.steps, { type: "flood", bytes: Buffer.from(text) }] };
}

function cut(bytes: Buffer, at: readonly number[] | "every-byte"): readonly Buffer[] {
  const offsets =
    at === "every-byte" ? [...bytes.keys()] : at.map((offset) => offset % bytes.length);
  const edges = [...new Set([0, ...offsets, bytes.length])].sort((left, right) => left - right);
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}
