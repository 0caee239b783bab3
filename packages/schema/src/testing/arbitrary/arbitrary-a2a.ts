import { base64Encode } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import type { Artifact, Part } from "../../event/part.js";
import type {
  A2aFrame,
  A2aMessage,
  A2aState,
  A2aStatus,
  A2aTask,
  A2aVersion,
} from "../../wire/a2a/a2a.js";
import {
  arbitraryJsonObject,
  arbitraryRecord,
  arbitraryText,
  arbitraryTime,
} from "./arbitrary-json.js";

const metadata = arbitraryJsonObject;
const base64 = fc.uint8Array({ maxLength: 8 }).map((bytes) => base64Encode(bytes));

/** Any part of a message. */
export const arbitraryPart: fc.Arbitrary<Part> = fc.oneof(
  arbitraryRecord({ type: fc.constant("text" as const), text: fc.string() }, { metadata }),
  arbitraryRecord({ type: fc.constant("data" as const), data: arbitraryJsonObject }, { metadata }),
  arbitraryRecord(
    { type: fc.constant("file" as const), bytes: base64 },
    { name: arbitraryText, mediaType: arbitraryText, metadata },
  ),
  arbitraryRecord(
    { type: fc.constant("file" as const), uri: fc.webUrl() },
    { name: arbitraryText, mediaType: arbitraryText, metadata },
  ),
);

const STATES: readonly A2aState[] = [
  "submitted",
  "working",
  "input-required",
  "completed",
  "failed",
  "canceled",
  "rejected",
  "auth-required",
  "unknown",
];

// Generates a list. A list of A2A 1.0 is never empty, because ProtoJSON does not distinguish an
// empty list from an absent one.
function listOf<TItem>(item: fc.Arbitrary<TItem>, version: A2aVersion) {
  return fc.array(item, { minLength: version === "1.0" ? 1 : 0, maxLength: 2 });
}

/** Any message that a version of A2A can express. */
export function arbitraryA2aMessage(version: A2aVersion): fc.Arbitrary<A2aMessage> {
  return arbitraryRecord(
    {
      messageId: arbitraryText,
      role: fc.constantFrom("user" as const, "agent" as const),
      parts: fc.array(arbitraryPart, { maxLength: 3 }),
    },
    {
      taskId: arbitraryText,
      contextId: arbitraryText,
      metadata,
      extensions: listOf(arbitraryText, version),
      referenceTaskIds: listOf(arbitraryText, version),
    },
  );
}

function arbitraryStatus(version: A2aVersion): fc.Arbitrary<A2aStatus> {
  return arbitraryRecord(
    { state: fc.constantFrom(...STATES) },
    { timestamp: arbitraryTime, message: arbitraryA2aMessage(version) },
  );
}

/** Any artifact, or a chunk of one. */
export const arbitraryArtifact: fc.Arbitrary<Artifact> = arbitraryRecord(
  { artifactId: arbitraryText, parts: fc.array(arbitraryPart, { maxLength: 2 }) },
  {
    name: arbitraryText,
    description: arbitraryText,
    metadata,
    extensions: fc.array(arbitraryText, { minLength: 1, maxLength: 2 }),
  },
);

/** Any task that a version of A2A can express. */
export function arbitraryA2aTask(version: A2aVersion): fc.Arbitrary<A2aTask> {
  return arbitraryRecord(
    { id: arbitraryText, contextId: arbitraryText, status: arbitraryStatus(version) },
    {
      history: listOf(arbitraryA2aMessage(version), version),
      artifacts: listOf(arbitraryArtifact, version),
      metadata,
    },
  );
}

/** Any frame that a version of A2A can express. */
export function arbitraryFrame(version: A2aVersion): fc.Arbitrary<A2aFrame> {
  const flag = version === "1.0" ? fc.constant(true) : fc.boolean();
  return fc.oneof(
    fc.record({ type: fc.constant("task" as const), task: arbitraryA2aTask(version) }),
    fc.record({ type: fc.constant("message" as const), message: arbitraryA2aMessage(version) }),
    arbitraryRecord(
      {
        type: fc.constant("status-update" as const),
        taskId: arbitraryText,
        contextId: arbitraryText,
        status: arbitraryStatus(version),
        // A2A 1.0 has no field `final`.
        isFinal: version === "1.0" ? fc.constant(false) : fc.boolean(),
      },
      { metadata },
    ),
    arbitraryRecord(
      {
        type: fc.constant("artifact-update" as const),
        taskId: arbitraryText,
        contextId: arbitraryText,
        artifact: arbitraryArtifact,
      },
      { append: flag, lastChunk: flag, metadata },
    ),
  );
}
