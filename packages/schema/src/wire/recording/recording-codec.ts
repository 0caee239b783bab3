import { ProtocolError } from "../../errors/protocol-error.js";
import type { SessionEvent } from "../../event/agent-event.js";
import { DEFAULT_EXTENSION_URIS } from "../../extension/extension-uri.js";
import { isObject } from "../../validation/message-json.js";
import { V1_0 } from "../a2a/v1-0.js";
import type { Activation } from "../canonical/event-codec.js";
import { decodeEventFrame, encodeEventFrame } from "../canonical/event-frame-codec.js";

/*
 * A recording is a `.jsonl` file: one JSON object per line, and each line ends with "\n".
 *
 *   {"type":"dt-recording","version":1,"recordedAt":"…","agent":"…"}      the first line
 *   {"statusUpdate":{…}}                                                  one event, and so on
 *   {"artifactUpdate":{…}}                                                an artifact is an event too
 *
 * An event is the A2A 1.0 frame for a client with both extensions, under the default URIs. Its time
 * is `status.timestamp`, and its cursor is in the metadata. An artifact has both in the metadata. The
 * decoder ignores unknown keys, refuses an unknown version, and ignores a last line that was cut off.
 */

const TYPE = "dt-recording";
const VERSION = 1;

const activation: Activation = {
  uris: DEFAULT_EXTENSION_URIS,
  developmentTool: true,
  session: true,
};

/** First line of a recording, without its type and version. */
export interface RecordingHeader {
  /** Start of the recording, ISO 8601. */
  readonly recordedAt: string;
  /** Name of the recorded agent, to show. */
  readonly agent?: string;
}

/** A recorded session. */
export interface Recording extends RecordingHeader {
  readonly events: readonly SessionEvent[];
}

/** Encodes the first line of a recording. */
export function encodeRecordingHeader({ recordedAt, agent }: RecordingHeader): string {
  const header = { type: TYPE, version: VERSION, recordedAt };
  return `${JSON.stringify(agent === undefined ? header : { ...header, agent })}\n`;
}

/** Encodes one event as a line of a recording. */
export function encodeRecordedEvent(event: SessionEvent): string {
  return `${JSON.stringify(V1_0.encodeFrame(encodeEventFrame(event, activation)))}\n`;
}

/** Decodes a recording. Throws `invalid-message` with the number of the faulty line. */
export function decodeRecording(text: string): Recording {
  const [first = "", ...lines] = text.replace(/^\uFEFF/, "").split("\n");
  const header = parseLine(first, 1);
  if (header.type !== TYPE) fail(1, `expected a header with "type":"${TYPE}"`);
  if (header.version !== VERSION) {
    fail(1, `version ${JSON.stringify(header.version)} is not supported; expected ${VERSION}`);
  }
  const events = lines.flatMap((line, index) => {
    const isCutOff = index === lines.length - 1;
    // A recorder may be killed at any byte, so a line without a line break is ignored.
    return isCutOff || line.trim() === "" ? [] : [decodeLine(line, index + 2)];
  });
  return {
    recordedAt: String(header.recordedAt ?? ""),
    ...(typeof header.agent === "string" && { agent: header.agent }),
    events,
  };
}

function decodeLine(line: string, number: number): SessionEvent {
  const frame = V1_0.decodeFrame(parseLine(line, number), `line ${number}`);
  if (frame.type === "status-update" || frame.type === "artifact-update")
    return decodeEventFrame(frame, DEFAULT_EXTENSION_URIS);
  return fail(number, "expected a statusUpdate or an artifactUpdate");
}

function parseLine(line: string, number: number) {
  try {
    const json: unknown = JSON.parse(line);
    if (isObject(json)) return json;
  } catch {
    // The error is thrown below.
  }
  return fail(number, "expected a JSON object");
}

function fail(line: number, fault: string): never {
  throw new ProtocolError("invalid-message", `line ${line}: ${fault}`);
}
