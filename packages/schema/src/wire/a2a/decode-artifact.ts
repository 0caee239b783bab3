import type { Artifact, Part } from "../../event/part.js";
import type { JsonObject } from "../../validation/message-json.js";
import type { A2aFrame } from "./a2a.js";
import {
  compact,
  findBoolean,
  findList,
  findObject,
  findString,
  findStrings,
  join,
  readObject,
  readString,
} from "./read-json.js";

/** Decodes one part in the spelling of a version. */
type DecodePart = (json: unknown, path: string) => Part;

/** Decodes an artifact of any version. The versions differ only in the spelling of the parts. */
export function decodeArtifact(json: unknown, path: string, decodePart: DecodePart): Artifact {
  const artifact = readObject(json, path);
  const parts = findList(artifact, "parts", path) ?? [];
  const extensions = findStrings(artifact, "extensions", path);
  return compact({
    artifactId: readString(artifact, "artifactId", path),
    name: findString(artifact, "name", path),
    description: findString(artifact, "description", path),
    parts: parts.map((part, index) => decodePart(part, `${join(path, "parts")}[${index}]`)),
    metadata: findObject(artifact, "metadata", path),
    extensions: extensions?.length ? extensions : undefined,
  });
}

/** Decodes an artifact update of any version. */
export function decodeArtifactUpdate(
  update: JsonObject,
  path: string,
  decodePart: DecodePart,
): A2aFrame {
  return compact({
    type: "artifact-update" as const,
    taskId: readString(update, "taskId", path),
    contextId: readString(update, "contextId", path),
    artifact: decodeArtifact(update.artifact, join(path, "artifact"), decodePart),
    append: findBoolean(update, "append", path),
    lastChunk: findBoolean(update, "lastChunk", path),
    metadata: findObject(update, "metadata", path),
  });
}
