import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/file-error.js";
import type { SavedFile } from "./checkpoint.js";
import { writePrivate } from "./copy-store.js";

/** The list of saved files, as JSON lines in the order of saving. */
export interface Manifest {
  readonly saved: readonly SavedFile[];
  append(files: readonly SavedFile[]): Promise<void>;
  /** Replaces the whole list. */
  rewrite(files: readonly SavedFile[]): Promise<void>;
}

/** Opens a manifest. It is empty if the file does not exist. Lines that a crash cut off are skipped. */
export async function openManifest(file: string): Promise<Manifest> {
  let saved = parseLines(await readOrEmpty(file));
  return {
    get saved() {
      return saved;
    },
    async append(files) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const handle = await open(file, "a", 0o600);
      try {
        // The text starts with a line break, because an earlier append may have stopped within a line.
        await handle.writeFile(`\n${toLines(files)}`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      saved = [...saved, ...files];
    },
    async rewrite(files) {
      await writePrivate(file, toLines(files));
      saved = files;
    },
  };
}

function toLines(files: readonly SavedFile[]): string {
  return files.map((each) => `${JSON.stringify(each)}\n`).join("");
}

function parseLines(text: string): readonly SavedFile[] {
  return text.split("\n").flatMap((line) => {
    const value = parseLine(line);
    return isSavedFile(value) ? [value] : [];
  });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isSavedFile(value: unknown): value is SavedFile {
  if (typeof value !== "object" || value === null) return false;
  const { turn, at, path: file, was } = value as Partial<Record<keyof SavedFile, unknown>>;
  return (
    Number.isInteger(turn) &&
    typeof at === "string" &&
    typeof file === "string" &&
    isFileBefore(was)
  );
}

function isFileBefore(value: unknown): value is SavedFile["was"] {
  if (typeof value !== "object" || value === null) return false;
  const { type, copy, mode, reason } = value as Record<string, unknown>;
  if (type === "file") return /^[0-9a-f]{64}$/.test(String(copy)) && Number.isInteger(mode);
  return type === "absent" || (type === "skipped" && typeof reason === "string");
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
