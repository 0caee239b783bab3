import type { ObjectBucket } from "./object-bucket.js";
import { runLimited } from "./run-limited.js";

/** Deletes the objects below a folder, except those in `kept`. */
export async function deleteFolder(
  bucket: ObjectBucket,
  folder: string,
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  const names = (await bucket.list(folder)).filter((name) => !kept.has(name));
  await runLimited(names, (name) => bucket.delete(name));
}
