import { ProtocolError } from "../../errors/protocol-error.js";
import type { SlashCommand } from "../../gen/development_tool/command.js";
import { isObject, type JsonObject } from "../../validation/message-json.js";
import { findList, findString, join, readObject, readString } from "../a2a/read-json.js";

/** Result of a slash command of the peer: text to show, and an error if the command failed. */
export interface GeminiCommandResult {
  readonly text: string;
  readonly error?: string;
}

/** Decodes the response of `GET /listCommands`. Each command gets its own name without its path. */
export function decodeGeminiCommands(json: unknown): readonly SlashCommand[] {
  return decodeCommands(readObject(json, "result"), "commands", "result");
}

/**
 * Encodes a command as the body of `POST /executeCommand`. Our argument text becomes one item of the
 * peer's list of arguments.
 */
export function encodeGeminiCommand(commandPath: readonly string[], args: string): JsonObject {
  return { command: commandPath.join(" "), args: args === "" ? [] : [args] };
}

/** Decodes the response of `POST /executeCommand`: text, a message, or a list of messages. */
export function decodeGeminiCommandResult(json: unknown): GeminiCommandResult {
  const { data } = readObject(json, "result");
  const messages = (Array.isArray(data) ? data : [data]).map(decodeMessage);
  const failed = messages.find(({ error }) => error !== undefined);
  const text = messages.map((message) => message.text).join("\n");
  return { text, ...(failed?.error !== undefined && { error: failed.error }) };
}

/**
 * Throws the peer's refusal of `POST /executeCommand`: `internal` for an HTTP status of 500 or more, and
 * `invalid-message` for any other status, e.g. after an unknown command.
 */
export function throwGeminiRefusal(status: number, json: unknown): never {
  const reason = isObject(json) && typeof json.error === "string" ? json.error : `HTTP ${status}`;
  throw new ProtocolError(status >= 500 ? "internal" : "invalid-message", reason);
}

function decodeCommands(json: JsonObject, key: string, path: string): readonly SlashCommand[] {
  return (findList(json, key, path) ?? []).map((item, index) => {
    const itemPath = `${join(path, key)}[${index}]`;
    const command = readObject(item, itemPath);
    const subCommands = decodeCommands(command, "subCommands", itemPath);
    return {
      // The peer's name of a sub-command is the whole path, so the last word is used.
      name: readString(command, "name", itemPath).split(" ").at(-1) ?? "",
      description: findString(command, "description", itemPath) ?? "",
      arguments: (findList(command, "arguments", itemPath) ?? []).map((argument, argumentIndex) =>
        decodeArgument(argument, `${itemPath}.arguments[${argumentIndex}]`),
      ),
      subCommands,
    };
  });
}

function decodeArgument(json: unknown, path: string) {
  const argument = readObject(json, path);
  return {
    name: readString(argument, "name", path),
    description: findString(argument, "description", path) ?? "",
    isRequired: argument.isRequired === true,
  };
}

function decodeMessage(data: unknown): GeminiCommandResult {
  if (typeof data === "string") return { text: data };
  if (!isObject(data) || typeof data.content !== "string") {
    return { text: data === undefined ? "" : JSON.stringify(data) };
  }
  const text = data.content;
  return data.messageType === "error" ? { text, error: text } : { text };
}
