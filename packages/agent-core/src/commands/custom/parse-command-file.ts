import type { SlashCommandArgument } from "@dt/schema";
import { checkShape } from "../../settings/check-shape.js";
import { SettingsError } from "../../settings/settings-error.js";
import { parseYaml } from "../../settings/yaml-source.js";
import { hasArgs, parseTemplate, type Segment } from "./parse-template.js";

/** What a command file says. */
export interface CommandFile {
  readonly description: string | undefined;
  readonly arguments: readonly SlashCommandArgument[];
  readonly segments: readonly Segment[];
}

interface FrontMatter {
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

const argument = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    description: { type: "string" },
    required: { type: "boolean" },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

const schema = {
  type: ["object", "null"],
  properties: {
    description: { type: "string" },
    arguments: { type: "array", items: argument },
  },
  additionalProperties: false,
} as const;

const frontMatter = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Reads a command file: front matter between two lines of `---`, if any, and the prompt. */
export async function parseCommandFile(file: string, source: string): Promise<CommandFile> {
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const [whole = "", yaml = ""] = frontMatter.exec(text) ?? [];
  if (whole === "" && /^---[ \t]*\n/.test(text)) {
    const problem = "the front matter is never closed by a line of ---";
    throw new SettingsError([{ file, line: 1, key: "", problem }]);
  }
  const front = await parseFrontMatter(file, yaml);
  const body = text.slice(whole.length);
  const line = whole.split("\n").length;
  const segments = parseTemplate(body, { file, line });
  if (body.trim() === "") {
    throw new SettingsError([{ file, line, key: "", problem: "there is no prompt" }]);
  }
  return {
    description: front.description,
    arguments: argumentsOf(front, segments),
    segments,
  };
}

async function parseFrontMatter(file: string, yaml: string): Promise<FrontMatter> {
  // The line of --- is left empty, so that faults are told with the lines of the file.
  const { value, positionOf } = await parseYaml(file, `\n${yaml}`);
  const faults = checkShape(schema, value ?? null);
  if (faults.length === 0) return (value ?? {}) as FrontMatter; // Checked against its schema.
  throw new SettingsError(
    faults.map(({ path, problem }) => ({
      file,
      ...positionOf(path),
      key: path.join("."),
      problem,
    })),
  );
}

function argumentsOf(
  { arguments: declared }: FrontMatter,
  segments: readonly Segment[],
): readonly SlashCommandArgument[] {
  if (declared === undefined) {
    const args = { name: "args", description: "what the prompt is about", isRequired: false };
    return hasArgs(segments) ? [args] : [];
  }
  return declared.map(({ name, description = "", required = false }) => ({
    name,
    description,
    isRequired: required,
  }));
}
