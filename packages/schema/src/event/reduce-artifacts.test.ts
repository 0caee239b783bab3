import { expect, test } from "vitest";
import type { Artifact, Part } from "./part.js";
import { MAX_ARTIFACT_PARTS, MAX_VIEW_ARTIFACTS, reduceArtifacts } from "./reduce-artifacts.js";

const text = (value: string): Part => ({ type: "text", text: value });
const data = (value: unknown): Part => ({ type: "data", data: value });
const artifact = (artifactId: string, ...parts: readonly Part[]): Artifact => ({
  artifactId,
  parts,
});

test("chunks are appended to the artifact with their id, and text is joined", () => {
  const chunks = [
    { artifact: { ...artifact("a", text("one ")), name: "a.md" } },
    { artifact: artifact("b", data(1)) },
    { artifact: artifact("a", text("two"), data(2)), append: true },
    { artifact: artifact("a", data(3)), append: true, lastChunk: true },
  ];

  expect(chunks.reduce(reduceArtifacts, [])).toEqual([
    { artifactId: "a", name: "a.md", parts: [text("one two"), data(2), data(3)] },
    artifact("b", data(1)),
  ]);
});

test("a second artifact with the same id replaces the first one", () => {
  const known = [artifact("a", text("old")), artifact("b", text("b"))];

  expect(reduceArtifacts(known, { artifact: artifact("a", text("new")) })).toEqual([
    artifact("a", text("new")),
    artifact("b", text("b")),
  ]);
});

test("a chunk of an unknown artifact becomes a new artifact", () => {
  expect(reduceArtifacts([], { artifact: artifact("a", text("rest")), append: true })).toEqual([
    artifact("a", text("rest")),
  ]);
});

test("text with a media type is not joined, and the artifact gets the fields of the chunk", () => {
  const labelled: Part = { type: "text", text: "x", mediaType: "text/html" };
  const known = [{ ...artifact("a", labelled), metadata: { a: 1 } }];
  const chunk = { ...artifact("a", text("y")), description: "both" };

  expect(reduceArtifacts(known, { artifact: chunk, append: true })).toEqual([
    {
      artifactId: "a",
      description: "both",
      metadata: { a: 1 },
      parts: [labelled, text("y")],
    },
  ]);
});

test("a view keeps the last artifacts, and the last parts of each [LOG-04]", () => {
  const many = Array.from({ length: MAX_VIEW_ARTIFACTS + 1 }, (_, index) => ({
    artifact: artifact(`${index}`),
  }));
  const parts = Array.from({ length: MAX_ARTIFACT_PARTS + 2 }, (_, index) => data(index));

  const artifacts = many.reduce(reduceArtifacts, []);
  const [long] = reduceArtifacts([artifact("a")], {
    artifact: artifact("a", ...parts),
    append: true,
  });

  expect(artifacts.length).toBe(MAX_VIEW_ARTIFACTS);
  expect(artifacts[0]?.artifactId).toBe("1");
  expect(long?.parts.length).toBe(MAX_ARTIFACT_PARTS);
  expect(long?.parts[0]).toEqual(data(2));
});
