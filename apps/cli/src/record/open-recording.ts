import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import type { SessionEvent } from "@dt/schema";
import { encodeRecordedEvent, encodeRecordingHeader } from "@dt/schema/wire";
import { SetupError } from "@dt/server";
import { CLI_VERSION } from "../cli-version.js";

/** A file to which every event of a session is written. */
export interface OpenRecording extends Disposable {
  write(event: SessionEvent): void;
}

/**
 * Starts a recording that `@dt/client/testing` can play. Throws a SetupError if the file cannot be written
 * or is not empty.
 */
export function openRecording(file: string, now: () => Date = () => new Date()): OpenRecording {
  const descriptor = open(file);
  let isOpen = true;
  const header = { recordedAt: now().toISOString(), agent: `dt ${CLI_VERSION}` };
  writeSync(descriptor, encodeRecordingHeader(header));
  return {
    write(event) {
      if (isOpen) writeSync(descriptor, encodeRecordedEvent(event));
    },
    [Symbol.dispose]() {
      isOpen = false;
      closeSync(descriptor);
    },
  };
}

function open(file: string): number {
  try {
    const descriptor = openSync(file, "a", 0o600);
    if (fstatSync(descriptor).size === 0) return descriptor;
    closeSync(descriptor);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SetupError(`--record: ${file} cannot be written: ${reason}`, { cause });
  }
  throw new SetupError(`--record: ${file} already exists and is not empty; use another file`);
}
