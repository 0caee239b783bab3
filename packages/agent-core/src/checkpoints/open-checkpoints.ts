import path from "node:path";
import { MACHINE_CLOCK } from "../clock.js";
import { ToolError } from "../errors/tool-error.js";
import type { CheckpointSource, Checkpoints, FileBefore, SavedFile } from "./checkpoint.js";
import { createCopyStore } from "./copy-store.js";
import { readCurrent } from "./current-file.js";
import { openManifest } from "./manifest.js";
import { applySteps, findRestoreSteps } from "./restore-files.js";
import { filesOfLastTurns, findOldestCopies, toCheckpoints } from "./saved-files.js";

/** Options of {@link openCheckpoints}. */
export interface CheckpointsOptions {
  /** Directory that contains only the checkpoints. The first save creates it. */
  readonly directory: string;
  /** Returns the date for new checkpoints. Default: the clock of this machine. */
  readonly now?: () => Date;
  /** Maximum number of turns whose checkpoints are stored. Default: 100. */
  readonly maxTurns?: number;
  /** Maximum size of a saved file. A larger file is listed in its checkpoint, but not saved. Default: 5 MB. */
  readonly maxFileBytes?: number;
}

/** Creates a source that opens the checkpoints at the first use, because most sessions edit no file. */
export function createCheckpointSource(options: CheckpointsOptions): CheckpointSource {
  let opening: Promise<Checkpoints> | undefined;
  return async () => {
    opening ??= openCheckpoints(options);
    try {
      return await opening;
    } catch (reason) {
      opening = undefined;
      throw reason;
    }
  };
}

/** Opens the checkpoints of a session, including those that earlier processes saved. */
export async function openCheckpoints(options: CheckpointsOptions): Promise<Checkpoints> {
  const { directory, now = MACHINE_CLOCK.now } = options;
  const { maxTurns = 100, maxFileBytes = 5_000_000 } = options;
  const manifest = await openManifest(path.join(directory, "manifest.jsonl"));
  const copies = createCopyStore(path.join(directory, "copies"));
  let lastOperation: Promise<unknown> = Promise.resolve();
  await removeUnused();

  /** Runs one operation at a time, because an operation reads the manifest and may then change it. */
  function runInOrder<TResult>(work: () => Promise<TResult>): Promise<TResult> {
    const operation = lastOperation.then(work);
    lastOperation = operation.catch(() => undefined);
    return operation;
  }

  async function save(turn: number, paths: readonly string[]): Promise<void> {
    const known = new Set(findSavedIn(turn).map((file) => file.path));
    const missing = [...new Set(paths)].filter((file) => !known.has(file));
    if (missing.length === 0) return;
    const at = now().toISOString();
    const files: SavedFile[] = [];
    for (const file of missing) files.push({ turn, at, path: file, was: await copyToStore(file) });
    await manifest.append(files);
    await removeOldTurns();
  }

  async function copyToStore(file: string): Promise<FileBefore> {
    const current = await readCurrent(file, maxFileBytes);
    if (current.type === "absent") return current;
    if (current.type === "unusable") return { type: "skipped", reason: current.reason };
    return { type: "file", copy: await copies.put(current.bytes), mode: current.mode };
  }

  async function removeOldTurns(): Promise<void> {
    const kept = filesOfLastTurns(manifest.saved, maxTurns);
    if (kept.length === manifest.saved.length) return;
    await manifest.rewrite(kept);
    await removeUnused();
  }

  async function removeUnused(): Promise<void> {
    const used = manifest.saved.flatMap(({ was }) => (was.type === "file" ? [was.copy] : []));
    await copies.removeExcept(new Set(used));
  }

  function getCopiesSince(turn: number): readonly SavedFile[] {
    const turns = toCheckpoints(manifest.saved).map((checkpoint) => checkpoint.turn);
    if (!turns.includes(turn)) throw new ToolError("not_found", describeNoCheckpoint(turn, turns));
    return findOldestCopies(manifest.saved, turn);
  }

  async function findStepsTo(turn: number) {
    return await findRestoreSteps(getCopiesSince(turn), { copies, maxBytes: maxFileBytes });
  }

  function findSavedIn(turn: number): readonly SavedFile[] {
    return manifest.saved.filter((file) => file.turn === turn);
  }

  return {
    save: ({ turn, paths }) => runInOrder(() => save(turn, paths)),
    list: () => toCheckpoints(manifest.saved),
    filesSince: (turn) =>
      getCopiesSince(turn).flatMap(({ path: file, was }) => (was.type === "skipped" ? [] : [file])),
    plan: (turn) =>
      runInOrder(async () => {
        const { steps, skipped } = await findStepsTo(turn);
        return { turn, changes: steps.map(({ change }) => change), skipped };
      }),
    restore: (turn, { during }) =>
      runInOrder(async () => {
        const { steps, skipped } = await findStepsTo(turn);
        const changes = steps.map(({ change }) => change);
        const paths = changes.map((change) => change.path);
        await save(during, paths);
        const unsafe = findSavedIn(during).find(
          (file) => paths.includes(file.path) && file.was.type === "skipped",
        );
        if (unsafe !== undefined) throw new ToolError("not_undoable", describeNotUndoable(unsafe));
        return { turn, changes, skipped, failed: await applySteps(steps) };
      }),
  };
}

function describeNoCheckpoint(turn: number, turns: readonly number[]): string {
  const known =
    turns.length === 0
      ? "no turn has a checkpoint"
      : `turns with a checkpoint: ${turns.join(", ")}`;
  return `there is no checkpoint of turn ${turn}; ${known}`;
}

function describeNotUndoable({ path: file }: SavedFile): string {
  return `nothing was restored, because the current content of ${file} could not be saved, and without that copy the restore could not be undone`;
}
