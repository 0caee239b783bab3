import { CommandExecutionStatus, isProtocolError, type SlashCommand } from "@dt/schema";
import {
  decodeGeminiCommandResult,
  decodeGeminiCommands,
  encodeGeminiCommand,
  throwGeminiRefusal,
} from "@dt/schema/gemini";
import type { A2aFrame } from "@dt/schema/wire";
import { TransportError } from "../errors/transport-error.js";
import type { GeminiHttp } from "./gemini-http.js";

/** Result of starting a command. */
export type GeminiCommandStart =
  | { readonly status: "STARTED"; readonly frames: AsyncGenerator<A2aFrame> }
  | { readonly status: "FAILED_TO_START"; readonly message: string };

/**
 * Creates the ids and times of a command's frames if the response is plain JSON, because plain JSON has
 * neither ids nor times.
 */
export interface CommandStamps {
  readonly now: () => string;
  readonly createId: () => string;
}

/** Requests the commands of the peer. */
export async function listGeminiCommands(
  http: GeminiHttp,
  signal: AbortSignal | undefined,
): Promise<readonly SlashCommand[]> {
  const answer = await http.route("listCommands", undefined, signal);
  if (answer.type !== "json" || answer.status !== 200) {
    throw new TransportError("unreadable", "the agent does not list its commands");
  }
  return decodeGeminiCommands(answer.json);
}

/** Runs a command. The result is always returned as frames, even if the peer does not stream it. */
export async function runGeminiCommand(
  http: GeminiHttp,
  command: { readonly commandPath: readonly string[]; readonly args: string },
  options: CommandStamps & { readonly signal: AbortSignal | undefined },
): Promise<GeminiCommandStart> {
  const body = encodeGeminiCommand(command.commandPath, command.args);
  const answer = await http.route("executeCommand", body, options.signal);
  const { STARTED, FAILED_TO_START } = CommandExecutionStatus;
  if (answer.type === "frames") return { status: STARTED, frames: answer.frames };
  try {
    if (answer.status !== 200) throwGeminiRefusal(answer.status, answer.json);
    return { status: STARTED, frames: resultFrames(answer.json, options) };
  } catch (reason) {
    if (!isProtocolError(reason) || reason.code !== "invalid-message") throw reason;
    return { status: FAILED_TO_START, message: reason.message };
  }
}

async function* resultFrames(json: unknown, stamps: CommandStamps): AsyncGenerator<A2aFrame> {
  const { text, error } = decodeGeminiCommandResult(json);
  const ids = { taskId: stamps.createId(), contextId: stamps.createId() };
  const update = (
    kind: "state-change" | "text-content",
    state: "working" | "completed" | "failed",
    content = "",
  ): A2aFrame => ({
    type: "status-update",
    ...ids,
    status: {
      state,
      timestamp: stamps.now(),
      message: {
        messageId: stamps.createId(),
        role: "agent",
        parts: [{ type: "text", text: content }],
      },
    },
    isFinal: state !== "working",
    metadata: { coderAgent: { kind } },
  });
  yield update("state-change", "working");
  if (error !== undefined) {
    yield update("state-change", "failed", error);
    return;
  }
  if (text !== "") yield update("text-content", "working", text);
  yield update("state-change", "completed");
}
