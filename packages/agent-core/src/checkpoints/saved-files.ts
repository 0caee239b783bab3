import type { Checkpoint, SavedFile } from "./checkpoint.js";

/**
 * Finds the state of each file before a turn. A copy is made before a file changes, so this state is the
 * oldest copy since the start of the turn. Sorted by path. Pure.
 */
export function findOldestCopies(saved: readonly SavedFile[], turn: number): readonly SavedFile[] {
  const oldest = new Map<string, SavedFile>();
  for (const file of saved) {
    if (file.turn < turn) continue;
    const known = oldest.get(file.path);
    if (known === undefined || file.turn < known.turn) oldest.set(file.path, file);
  }
  return [...oldest.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Groups saved files into checkpoints, newest first. Pure. */
export function toCheckpoints(saved: readonly SavedFile[]): readonly Checkpoint[] {
  const byTurn = new Map<number, SavedFile[]>();
  for (const file of saved) {
    const files = byTurn.get(file.turn);
    if (files === undefined) byTurn.set(file.turn, [file]);
    else files.push(file);
  }
  return [...byTurn]
    .sort(([a], [b]) => b - a)
    .map(([turn, files]) => ({
      turn,
      at: files[0]?.at ?? "",
      files: files.map(({ path, was }) => ({ path, was })),
    }));
}

/** Returns the files that the last `count` turns with a checkpoint have saved. Pure. */
export function filesOfLastTurns(saved: readonly SavedFile[], count: number): readonly SavedFile[] {
  const turns = toCheckpoints(saved).map(({ turn }) => turn);
  const oldest = turns[count - 1];
  return oldest === undefined ? saved : saved.filter(({ turn }) => turn >= oldest);
}
