import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { parseBoundedJson } from "@dt/schema";
import { checkShape } from "./check-shape.js";
import { SettingsError } from "./settings-error.js";

/** A small JSON file that only its owner can read and write. Writes are atomic. */
export interface PrivateJsonFile<TValue> {
  /**
   * Returns the value, or the empty value if there is no file. Throws {@link SettingsError} if the
   * file is invalid.
   */
  read(): Promise<TValue>;
  /** Changes the value. Concurrent changes through this object run one after another. */
  update(change: (value: TValue) => TValue): Promise<void>;
}

/** Options of {@link createPrivateJsonFile}. */
export interface PrivateJsonFileOptions<TValue> {
  readonly file: string;
  /** JSON Schema of the value. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly empty: TValue;
}

/**
 * Creates an object that reads and updates the file. Each use reads the file again, because other processes
 * may write it.
 */
export function createPrivateJsonFile<TValue>(
  options: PrivateJsonFileOptions<TValue>,
): PrivateJsonFile<TValue> {
  const { file } = options;
  let last: Promise<void> = Promise.resolve();
  const read = async () => parse(await readIfPresent(file), options);
  return {
    read,
    async update(change) {
      const written = last.then(async () => writePrivate(file, change(await read())));
      last = written.catch(() => {});
      await written;
    },
  };
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw reason;
  }
}

function parse<TValue>(
  text: string | undefined,
  { file, schema, empty }: PrivateJsonFileOptions<TValue>,
): TValue {
  if (text === undefined) return empty;
  let value: unknown;
  try {
    value = parseBoundedJson(text);
  } catch (cause) {
    throw new SettingsError([{ file, key: "", problem: "is not JSON" }], { cause });
  }
  const faults = checkShape(schema, value);
  // The value matches the schema of this type.
  if (faults.length === 0) return value as TValue;
  throw new SettingsError(
    faults.map(({ path, problem }) => ({ file, key: path.join("."), problem })),
  );
}

async function writePrivate(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(value, undefined, 2)}\n`, "utf8");
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (reason) {
    await rm(temporary, { force: true });
    throw reason;
  }
}
