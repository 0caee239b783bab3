import { toErrorDetails } from "../errors/tool-error.js";
import { removeNewFile, writeSavedFile } from "./apply-restore.js";
import type { FileChange, RestorePlan, SavedFile, SkippedFile } from "./checkpoint.js";
import type { CopyStore } from "./copy-store.js";
import { type CurrentFile, readCurrent } from "./current-file.js";

/** A change of one file, and the function that makes it. */
export interface RestoreStep {
  readonly change: FileChange;
  apply(): Promise<void>;
}

/** The steps of a restore, and the files that it cannot restore. */
export interface RestoreSteps {
  readonly steps: readonly RestoreStep[];
  readonly skipped: RestorePlan["skipped"];
}

/** Compares files with their saved state. A file that has not changed needs no step. */
export async function findRestoreSteps(
  files: readonly SavedFile[],
  { copies, maxBytes }: { readonly copies: CopyStore; readonly maxBytes: number },
): Promise<RestoreSteps> {
  const steps: RestoreStep[] = [];
  const skipped: SkippedFile[] = [];
  for (const { path, was } of files) {
    const now = await readCurrent(path, maxBytes);
    if (was.type === "skipped") skipped.push({ path, reason: was.reason });
    else if (now.type === "unusable") skipped.push({ path, reason: now.reason });
    else if (was.type === "absent") steps.push(...stepsToRemove(path, now));
    else {
      const bytes = await copies.find(was.copy);
      if (bytes === undefined)
        skipped.push({ path, reason: `the copy of ${path} is missing or damaged` });
      else steps.push(...stepsToWrite(path, now, { bytes, mode: was.mode }));
    }
  }
  return { steps, skipped };
}

/** Makes the changes. A change that fails does not stop the others; returns the files whose change failed. */
export async function applySteps(steps: readonly RestoreStep[]): Promise<readonly SkippedFile[]> {
  const failed: SkippedFile[] = [];
  for (const { change, apply } of steps) {
    try {
      await apply();
    } catch (error) {
      failed.push({ path: change.path, reason: toErrorDetails(error).message });
    }
  }
  return failed;
}

type UsableFile = Exclude<CurrentFile, { type: "unusable" }>;

function stepsToRemove(path: string, now: UsableFile): readonly RestoreStep[] {
  if (now.type === "absent") return [];
  const change: FileChange = { path, type: "delete", before: now.bytes };
  return [{ change, apply: () => removeNewFile(path, now.version) }];
}

function stepsToWrite(
  path: string,
  now: UsableFile,
  was: { readonly bytes: Buffer; readonly mode: number },
): readonly RestoreStep[] {
  if (now.type === "absent") {
    const change: FileChange = { path, type: "create", after: was.bytes };
    return [{ change, apply: () => writeSavedFile(path, { ...was, expectedVersion: undefined }) }];
  }
  if (now.mode === was.mode && now.bytes.equals(was.bytes)) return [];
  const change: FileChange = { path, type: "write", before: now.bytes, after: was.bytes };
  return [{ change, apply: () => writeSavedFile(path, { ...was, expectedVersion: now.version }) }];
}
