import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { SetupError } from "@dt/schema";

/** Files of a certificate chain and its private key, in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The content of the files. */
export interface TlsContent {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Interval at which the files are checked for changes. */
const WATCH_MS = 1_000;

/** Reads a certificate and its key. Throws {@link SetupError} if they cannot be read or do not match. */
export async function readTlsFiles({ certFile, keyFile }: TlsFiles): Promise<TlsContent> {
  const [cert, key] = await Promise.all([certFile, keyFile].map(readPem));
  if (cert === undefined || key === undefined) throw new Error("a file was not read");
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const { message } = cause as Error;
    throw new SetupError(
      `the certificate ${certFile} cannot be used with the key ${keyFile}: ${message}`,
      { cause },
    );
  }
  return { cert, key };
}

async function readPem(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new SetupError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Callbacks of {@link watchTlsFiles}. */
export interface TlsWatcher {
  onChange(content: TlsContent): void;
  /** Called if changed files cannot be used. The server keeps the old certificate. */
  onFault(reason: unknown): void;
  readonly watchMs?: number;
}

/**
 * Reads the files again after they have changed. Returns a function that ends the watch. The files are compared at
 * intervals, because events of the file system get lost if a link is replaced, and certificate managers replace
 * links.
 */
export function watchTlsFiles(
  files: TlsFiles,
  { onChange, onFault, watchMs = WATCH_MS }: TlsWatcher,
): () => void {
  let known: string | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    const marks = await Promise.all([files.certFile, files.keyFile].map(markOf));
    const mark = marks.join(" ");
    const isFirst = known === undefined;
    if (mark === known) return;
    known = mark;
    if (!isFirst) onChange(await readTlsFiles(files));
  }

  function run(): void {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch(onFault)
      .finally(() => {
        isChecking = false;
      });
  }

  run();
  const timer = setInterval(run, watchMs).unref();
  return () => clearInterval(timer);
}

async function markOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? "-" : `${found.ino}:${found.mtimeMs}:${found.size}`;
}
