import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { SetupError } from "@dt/schema";

type Variables = Readonly<Record<string, string | undefined>>;

/** Maximum size of a key file. */
const MAX_KEY_BYTES = 8_192;

/** Mask of the permissions of group and others. */
const GROUP_AND_OTHERS = 0o077;

/**
 * Returns the given variables and adds the keys from key files. For each name in `names`: if `NAME_FILE` is
 * set, the variable `NAME` of the result is the key in that file. A key in a file stays out of the
 * environment, which other processes of the same user can read. (SEC-05)
 *
 * Throws {@link SetupError} if a file is missing, is accessible to other users, or does not contain exactly one key.
 * Also throws if both `NAME` and `NAME_FILE` are set.
 */
export async function readKeyFiles(
  variables: Variables,
  names: readonly string[],
): Promise<Variables> {
  const keys = await Promise.all(names.map(async (name) => [name, await findKey(variables, name)]));
  return { ...variables, ...Object.fromEntries(keys.filter(([, key]) => key !== undefined)) };
}

async function findKey(variables: Variables, name: string): Promise<string | undefined> {
  const variable = `${name}_FILE`;
  const file = variables[variable];
  if (!file) return undefined;
  if (variables[name]) {
    throw new SetupError(`${name} and ${variable} are both set; unset one of them`);
  }
  await using handle = await openKeyFile(variable, file);
  return await readKey(handle, `${variable}: ${file}`);
}

async function openKeyFile(variable: string, file: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK, opening a pipe would block until another process writes to it.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const problem =
      code === "ENOENT" ? `there is no file ${file}` : `${file} cannot be read (${code})`;
    throw new SetupError(`${variable}: ${problem}`, { cause });
  }
}

async function readKey(handle: FileHandle, label: string): Promise<string> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new SetupError(`${label} is not a file; choose a file with the key`);
  const mode = stats.mode & 0o777;
  // Windows has no file modes.
  if (process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0) {
    throw new SetupError(
      `${label} has mode ${mode.toString(8)}, so others may use it; run chmod 600 on it`,
    );
  }
  if (stats.size > MAX_KEY_BYTES) {
    throw new SetupError(
      `${label} is larger than ${MAX_KEY_BYTES} bytes; put only the key into it`,
    );
  }
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_KEY_BYTES), 0, MAX_KEY_BYTES, 0);
  const key = buffer.toString("utf8", 0, bytesRead).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SetupError(`${label} must contain only the key, on one line`);
}
