import type { SlashCommandArgument } from "@dt/schema";
import { checkShape } from "../../settings/check-shape.js";
import { SettingsError } from "../../settings/settings-error.js";
import { parseYaml } from "../../settings/yaml/yaml-source.js";
import { hasArgs, parseTemplate, type Segment } from "./parse-template.js";

/** The content of a command file. */
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

const ARGUMENT_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1 },
    description: { type: "string" },
    required: { type: "boolean" },
  },
  required: ["name"],
  additionalProperties: false,
} as const;

const FRONT_MATTER_SCHEMA = {
  type: ["object", "null"],
  properties: {
    description: { type: "string" },
    arguments: { type: "array", items: ARGUMENT_SCHEMA },
  },
  additionalProperties: false,
} as const;

const FRONT_MATTER = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** Parses a command file: optional front matter between two lines of `---`, then the prompt. */
export async function parseCommandFile(file: string, source: string): Promise<CommandFile> {
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const [whole = "", yaml = ""] = FRONT_MATTER.exec(text) ?? [];
  if (whole === "" && /^---[ \t]*\n/.test(text)) {
    const problem = "the front matter has no closing line of ---";
    throw new SettingsError([{ file, line: 1, key: "", problem }]);
  }
  const front = await parseFrontMatter(file, yaml);
  const body = text.slice(whole.length);
  const line = whole.split("\n").length;
  const segments = parseTemplate(body, { file, line });
  if (body.trim() === "") {
    throw new SettingsError([{ file, line, key: "", problem: "the prompt is missing" }]);
  }
  return {
    description: front.description,
    arguments: argumentsOf(front, segments),
    segments,
  };
}

async function parseFrontMatter(file: string, yaml: string): Promise<FrontMatter> {
  // An empty line replaces the opening ---, so that faults have the line numbers of the file.
  const { value, positionOf } = await parseYaml(file, `\n${yaml}`);
  const faults = checkShape(FRONT_MATTER_SCHEMA, value ?? null);
  if (faults.length === 0) return (value ?? {}) as FrontMatter; // The schema checked the value.
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
    const args = { name: "args", description: "text for the prompt", isRequired: false };
    return hasArgs(segments) ? [args] : [];
  }
  return declared.map(({ name, description = "", required = false }) => ({
    name,
    description,
    isRequired: required,
  }));
}
