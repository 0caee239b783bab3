import type { Artifact } from "@dt/schema";
import { encodeId } from "../bucket/object-names.js";

/** The content of an object below `artifacts/`. */
export interface ArtifactObject {
  /** Path below `artifacts/`. */
  readonly path: string;
  readonly body: string | Buffer;
  readonly contentType: string;
}

/** Longest path of an object. Names of objects have at most 1,024 bytes. */
const MAX_PATH_BYTES = 700;

/**
 * Converts a file that a tool wrote. The object has the file's path in the workspace, or the whole path of a file
 * outside the workspace.
 */
export function toFileObject(
  { filePath, newContent }: { readonly filePath: string; readonly newContent: string },
  workspacePath: string,
): ArtifactObject | undefined {
  const root = workspacePath.endsWith("/") ? workspacePath : `${workspacePath}/`;
  const inside = filePath.startsWith(root) ? filePath.slice(root.length) : filePath;
  const parts = inside
    .split(/[\\/]/)
    .filter((part) => part !== "" && part !== "." && part !== "..");
  return toObject(parts.join("/"), newContent, "text/plain; charset=utf-8");
}

/**
 * Converts an artifact of the agent. The object is the text of the artifact, or its only file, or else the artifact as
 * JSON.
 */
export function toAnswerObject(artifact: Artifact): ArtifactObject | undefined {
  const { artifactId, parts } = artifact;
  const [only, ...others] = parts;
  const path = `answers/${encodeId(artifactId)}`;
  if (parts.length > 0 && parts.every(({ type }) => type === "text")) {
    const texts = parts.map((part) => (part.type === "text" ? part.text : ""));
    return toObject(path, texts.join(""), `${only?.mediaType ?? "text/plain"}; charset=utf-8`);
  }
  if (others.length === 0 && only?.type === "file" && only.bytes !== undefined) {
    const body = Buffer.from(only.bytes, "base64");
    return toObject(path, body, only.mediaType ?? "application/octet-stream");
  }
  return toObject(path, JSON.stringify(artifact), "application/json");
}

function toObject(path: string, body: string | Buffer, contentType: string) {
  // A lone surrogate is replaced, because names of objects are UTF-8.
  const name = Buffer.from(path).toString();
  // A file or artifact is left out if its path is empty or too long for the name of an object.
  if (name === "" || Buffer.byteLength(name) > MAX_PATH_BYTES) return undefined;
  return { path: name, body, contentType };
}
