import type { MessageLimits } from "./message-limits.js";

/** The id of a JSON-RPC message. */
export type MessageId = number | string;

/** Checks one JSON-RPC message against limits as its bytes arrive, without storing them. */
export interface MessageScanner {
  push(bytes: Uint8Array): void;
  /** Reason why the message must not be parsed; undefined if it may be. */
  readonly fault: string | undefined;
  /** Id of the call that the message answers; undefined if it is not an answer. */
  readonly answeredId: MessageId | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Maximum number of bytes to collect of a name or value. Ids and the names `id` and `method` are shorter. */
const MAX_MEMBER_BYTES = 256;

/** Creates a scanner for one message. */
export function createMessageScanner(limits: MessageLimits): MessageScanner {
  let length = 0;
  let depth = 0;
  let values = 0;
  let fault: string | undefined;
  let isInString = false;
  let isEscaped = false;
  // The current member of the outermost object: its parsed name, and the bytes of its name or value.
  let name: unknown;
  let member: number[] = [];
  let id: MessageId | undefined;
  let hasMethod = false;

  function collect(byte: number): void {
    if (depth === 1 && member.length < MAX_MEMBER_BYTES) member.push(byte);
  }

  function endName(): void {
    name = parseScalar(member);
    if (name === "method") hasMethod = true;
    member = [];
  }

  function endMember(): void {
    const value = name === "id" ? parseScalar(member) : undefined;
    if (typeof value === "number" || typeof value === "string") id = value;
    name = undefined;
    member = [];
  }

  function readInString(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isInString = false;
    collect(byte);
  }

  function open(): void {
    depth += 1;
    values += 1;
    if (depth > limits.maxDepth) fault ??= `nested deeper than ${limits.maxDepth} levels`;
  }

  function read(byte: number): void {
    if (byte === QUOTE) isInString = true;
    if (byte === COMMA) values += 1;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) open();
    else if (depth === 1 && byte === COLON && name === undefined) endName();
    else if (depth === 1 && (byte === COMMA || byte === CLOSE_OBJECT)) endMember();
    else collect(byte);
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }

  return {
    push(bytes) {
      length += bytes.length;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        if (isInString) readInString(byte);
        else read(byte);
      }
      if (values > limits.maxValues) fault ??= `of more than ${limits.maxValues} values`;
      if (length > limits.maxBytes) fault ??= `of more than ${limits.maxBytes} bytes`;
    },
    get fault() {
      return fault;
    },
    get answeredId() {
      return hasMethod ? undefined : id;
    },
  };
}

function parseScalar(bytes: readonly number[]): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}
