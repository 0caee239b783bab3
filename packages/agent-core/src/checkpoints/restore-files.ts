import { toErrorDetails } from "../errors/tool-error.js";
import type { FileChange, LeftFile, RestorePlan, SavedFile } from "./checkpoint.js";
import type { CopyStore } from "./copy-store.js";
import { type CurrentFile, readCurrent } from "./current-file.js";
import { putFileBack, removeFile } from "./apply-restore.js";

/** A change, and how it is made. */
export interface RestoreStep {
  readonly change: FileChange;
  apply(): Promise<void>;
}

/** What must be done to have files as they were. */
export interface RestoreSteps {
  readonly steps: readonly RestoreStep[];
  readonly skipped: RestorePlan["skipped"];
}

/** Compares files with what they were; those that are the same need nothing. */
export async function findRestoreSteps(
  files: readonly SavedFile[],
  { copies, maxBytes }: { readonly copies: CopyStore; readonly maxBytes: number },
): Promise<RestoreSteps> {
  const steps: RestoreStep[] = [];
  const skipped: LeftFile[] = [];
  for (const { path, was } of files) {
    const now = await readCurrent(path, maxBytes);
    if (was.type === "skipped") skipped.push({ path, reason: was.reason });
    else if (now.type === "unusable") skipped.push({ path, reason: now.reason });
    else if (was.type === "absent") steps.push(...stepsToRemove(path, now));
    else {
      const bytes = await copies.find(was.copy);
      if (bytes === undefined) skipped.push({ path, reason: `the copy of ${path} is lost` });
      else steps.push(...stepsToWrite(path, now, { bytes, mode: was.mode }));
    }
  }
  return { steps, skipped };
}

/** Makes the changes; one that fails does not keep the others from being made. */
export async function applySteps(steps: readonly RestoreStep[]): Promise<readonly LeftFile[]> {
  const failed: LeftFile[] = [];
  for (const { change, apply } of steps) {
    try {
      await apply();
    } catch (error) {
      failed.push({ path: change.path, reason: toErrorDetails(error).message });
    }
  }
  return failed;
}

type Usable = Exclude<CurrentFile, { type: "unusable" }>;

function stepsToRemove(path: string, now: Usable): readonly RestoreStep[] {
  if (now.type === "absent") return [];
  const change: FileChange = { path, type: "delete", before: now.bytes };
  return [{ change, apply: () => removeFile(path, now.version) }];
}

function stepsToWrite(
  path: string,
  now: Usable,
  was: { readonly bytes: Buffer; readonly mode: number },
): readonly RestoreStep[] {
  if (now.type === "absent") {
    const change: FileChange = { path, type: "create", after: was.bytes };
    return [{ change, apply: () => putFileBack(path, { ...was, over: undefined }) }];
  }
  if (now.mode === was.mode && now.bytes.equals(was.bytes)) return [];
  const change: FileChange = { path, type: "write", before: now.bytes, after: was.bytes };
  return [{ change, apply: () => putFileBack(path, { ...was, over: now.version }) }];
}
