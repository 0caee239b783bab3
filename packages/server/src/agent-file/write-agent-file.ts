import { unlinkSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { type LocalAgent, parseAgentFile } from "@dt/schema";

/** Options of {@link writeAgentFile}. */
export interface AgentFileOptions {
  readonly directory: string;
  /** Name of the program, such as `dt-server`. */
  readonly program: string;
}

/** An agent file that exists until it is removed, or until the process exits. */
export interface AgentFile {
  remove(): Promise<void>;
}

/**
 * Writes the agent file of this process. Only the user of this process can read the file. Also removes the files of
 * processes that were killed.
 */
export async function writeAgentFile(
  { directory, program }: AgentFileOptions,
  agent: Omit<LocalAgent, "pid" | "machine" | "program">,
): Promise<AgentFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeStale(directory);
  const name = `${hostname()}-${process.pid}-${new URL(agent.url).port}.json`.replace(
    /[^\w.-]/g,
    "_",
  );
  const file = path.join(directory, name);
  const draft = path.join(directory, `.${name}`);
  const content = { ...agent, program, pid: process.pid, machine: hostname() };
  await rm(draft, { force: true });
  await writeFile(draft, JSON.stringify(content), { mode: 0o600, flag: "wx" });
  // The file is renamed, so that a reader never sees an incomplete file.
  await rename(draft, file);
  const removeAtExit = () => {
    try {
      unlinkSync(file);
    } catch {
      // The file is gone already.
    }
  };
  process.once("exit", removeAtExit);
  return {
    async remove() {
      process.off("exit", removeAtExit);
      await rm(file, { force: true });
    },
  };
}

async function removeStale(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => /^[^.].*\.json$/.test(name));
  await Promise.all(names.map((name) => removeIfStale(path.join(directory, name))));
}

// A file that cannot be read or parsed stays, because it may belong to another version of this program.
async function removeIfStale(file: string): Promise<void> {
  try {
    const agent = parseAgentFile(JSON.parse(await readFile(file, "utf8")));
    const isStale = agent?.machine === hostname() && !isRunning(agent.pid);
    if (isStale) await rm(file, { force: true });
  } catch {
    // Another process may have removed the file meanwhile.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    // EPERM means that the process exists, but belongs to another user.
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}
