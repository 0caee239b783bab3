import type { ArtifactUpdate } from "./agent-event.js";
import type { Artifact, Part } from "./part.js";

/** Maximum number of artifacts in a view; the oldest are dropped first. */
export const MAX_VIEW_ARTIFACTS = 200;

/**
 * Maximum number of parts of one artifact in a view; the earliest are dropped. Consecutive text is
 * one part.
 */
export const MAX_ARTIFACT_PARTS = 1_000;

/** Folds an artifact, or a chunk of one, into the artifacts of a task. */
export function reduceArtifacts(
  artifacts: readonly Artifact[],
  { artifact, append = false }: Pick<ArtifactUpdate, "artifact" | "append">,
): readonly Artifact[] {
  const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const known = artifacts[index];
  if (known === undefined) return [...artifacts.slice(1 - MAX_VIEW_ARTIFACTS), artifact];
  const next = append ? appendChunk(known, artifact) : artifact;
  return artifacts.with(index, next);
}

// Appends a chunk to an artifact. The fields of the chunk replace those of the artifact, because an
// agent may learn the artifact's name late.
function appendChunk(known: Artifact, chunk: Artifact): Artifact {
  const parts = joinParts(known.parts, chunk.parts).slice(-MAX_ARTIFACT_PARTS);
  return { ...known, ...chunk, parts };
}

/** Appends `more` to `parts`. Consecutive text parts without further fields are joined into one part. */
export function joinParts(parts: readonly Part[], more: readonly Part[]): readonly Part[] {
  const joined = [...parts];
  for (const part of more) {
    const last = joined.at(-1);
    if (last !== undefined && isBareText(last) && isBareText(part)) {
      joined[joined.length - 1] = { type: "text", text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}

// Returns true for text with only the fields `type` and `text`: no name, media type or metadata.
function isBareText(part: Part): part is Part & { readonly type: "text" } {
  return part.type === "text" && Object.keys(part).length === 2;
}
