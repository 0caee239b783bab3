import type { SlashCommand } from "../../gen/development_tool/command.js";
import { failAt, isObject, type JsonObject } from "../../validation/message-json.js";
import { compact, findString } from "../a2a/read-json.js";

/** A slash command to execute. */
export interface NotesCommand {
  /** Name that the reply shows, e.g. `memory show`. */
  readonly name: string;
  /** Names of the groups that contain the command, the outermost first, and the name of the command. */
  readonly path: readonly string[];
  readonly args: string;
  /** Session or task in which the command runs. */
  readonly contextId?: string;
  readonly taskId?: string;
}

/**
 * Default command of each group. It runs if a request has only the name of the group, without
 * arguments. gemini-cli's server has the same defaults.
 */
const DEFAULT_COMMANDS: Readonly<Record<string, string>> = {
  extensions: "extensions list",
  memory: "memory show",
};

/** Our names of the commands that have another name in gemini-cli's a2a-server. */
const OTHER_NAMES: Readonly<Record<string, string>> = { "restore list": "restore" };

/**
 * Decodes the body of `POST /executeCommand`. The error messages are the same as in gemini-cli's
 * a2a-server, which the notes describe.
 */
export function decodeNotesCommand(body: unknown): NotesCommand {
  const json = isObject(body) ? body : {};
  const { command, args = [] } = json;
  const words = typeof command === "string" ? command.trim().replace(/^\//, "").split(/\s+/) : [];
  if (words.every((word) => word === "")) failAt("", 'Invalid "command" field.');
  if (!Array.isArray(args)) failAt("", '"args" field must be an array.');
  const given = args.map((value) =>
    typeof value === "string" ? value : failAt("", '"args" field must contain only strings.'),
  );
  const written = words.join(" ");
  const name = (given.length === 0 ? DEFAULT_COMMANDS[written] : undefined) ?? written;
  return compact({
    name,
    path: (OTHER_NAMES[name] ?? name).split(" "),
    args: given.join(" "),
    contextId: findString(json, "contextId", ""),
    taskId: findString(json, "taskId", ""),
  });
}

/** Encodes the reply to `GET /listCommands`. A sub-command has its whole path as its name. */
export function encodeNotesCommands(commands: readonly SlashCommand[]): JsonObject {
  return { commands: commands.map((command) => encodeCommand(command, [])) };
}

function encodeCommand(command: SlashCommand, parents: readonly string[]): JsonObject {
  const { name, description, subCommands } = command;
  const path = [...parents, name];
  return {
    name: path.join(" "),
    description,
    arguments: command.arguments.map(({ name: argument, description: about, isRequired }) => ({
      name: argument,
      description: about,
      isRequired,
    })),
    subCommands: subCommands.map((each) => encodeCommand(each, path)),
  };
}

/** Result of a slash command that ran without tools and questions. */
export interface NotesCommandEnd {
  readonly name: string;
  readonly text: string;
  readonly error?: string | undefined;
}

/** Encodes the reply to `POST /executeCommand`: text, or a message for errors and for `restore`. */
export function encodeNotesCommandEnd({ name, text, error }: NotesCommandEnd): JsonObject {
  if (error !== undefined) return { name, data: message("error", error) };
  return { name, data: name.startsWith("restore") ? message("info", text) : text };
}

function message(messageType: "info" | "error", content: string): JsonObject {
  return { type: "message", messageType, content };
}
