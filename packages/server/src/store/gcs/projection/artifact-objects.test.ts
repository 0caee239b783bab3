import type { Artifact } from "@dt/schema";
import { expect, test } from "vitest";
import { toAnswerObject, toFileObject } from "./artifact-objects.js";

test.each([
  ["/work/notes/a.txt", "/work", "notes/a.txt"],
  ["/work/notes/a.txt", "/work/", "notes/a.txt"],
  ["/workshop/a.txt", "/work", "workshop/a.txt"],
  ["/elsewhere/a.txt", "/work", "elsewhere/a.txt"],
  ["/work/./b/../c//d.txt", "/work", "b/c/d.txt"],
  ["C:\\work\\a.txt", "/work", "C:/work/a.txt"],
  ["/a.txt", "/", "a.txt"],
])("the file %s of the workspace %s has the path %s", (filePath, workspacePath, path) => {
  expect(toFileObject({ filePath, newContent: "text" }, workspacePath)).toEqual({
    path,
    body: "text",
    contentType: "text/plain; charset=utf-8",
  });
});

test("a file is left out if its path is empty, or has more than 700 bytes", () => {
  const objectOf = (filePath: string) => toFileObject({ filePath, newContent: "" }, "/work");

  expect(objectOf("/work/..")).toBeUndefined();
  expect(objectOf(`/work/${"x".repeat(700)}`)?.path).toHaveLength(700);
  expect(objectOf(`/work/${"x".repeat(701)}`)).toBeUndefined();
  expect(objectOf(`/work/${"ü".repeat(351)}`)).toBeUndefined();
});

test("a lone surrogate in a path is replaced, because names are UTF-8", () => {
  expect(toFileObject({ filePath: "/work/a\ud800", newContent: "" }, "/work")?.path).toBe(
    "a\ufffd",
  );
});

test.each<[string, Artifact["parts"], object]>([
  [
    "of text is stored as its text",
    [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ],
    { body: "one two", contentType: "text/plain; charset=utf-8" },
  ],
  [
    "of text with a media type keeps this type",
    [{ type: "text", text: "<p>", mediaType: "text/html" }],
    { body: "<p>", contentType: "text/html; charset=utf-8" },
  ],
  [
    "with one file is stored as the file",
    [{ type: "file", bytes: "aGk=", mediaType: "image/png" }],
    { body: Buffer.from("hi"), contentType: "image/png" },
  ],
  [
    "with one file of unknown type is stored as bytes",
    [{ type: "file", bytes: "aGk=" }],
    { body: Buffer.from("hi"), contentType: "application/octet-stream" },
  ],
])("an artifact %s", (_, parts, expected) => {
  expect(toAnswerObject({ artifactId: "a b", parts })).toEqual({
    path: "answers/a%20b",
    ...expected,
  });
});

test.each<[string, Artifact["parts"]]>([
  ["without parts", []],
  ["with a file that has only an address", [{ type: "file", uri: "https://example.com/a" }]],
  ["with data", [{ type: "data", data: { a: 1 } }]],
  [
    "with two files",
    [
      { type: "file", bytes: "aGk=" },
      { type: "file", bytes: "aGk=" },
    ],
  ],
  [
    "with text and a file",
    [
      { type: "text", text: "see" },
      { type: "file", bytes: "aGk=" },
    ],
  ],
])("an artifact %s is stored as JSON", (_, parts) => {
  const artifact = { artifactId: "a", parts };

  expect(toAnswerObject(artifact)).toEqual({
    path: "answers/a",
    body: JSON.stringify(artifact),
    contentType: "application/json",
  });
});
