import type { Part } from "@dt/schema";
import { expect, test } from "vitest";
import { checkInputModes } from "./check-input-modes.js";

const file = (mediaType: string): Part => ({ type: "file", bytes: "eA==", mediaType });

test.each([
  "text/plain",
  "text/x-rust",
  "TEXT/HTML; charset=utf-8",
  "image/webp",
  "application/json",
])("a part of the type %s is accepted", (mediaType) => {
  expect(() => checkInputModes([{ type: "text", text: "hi" }, file(mediaType)])).not.toThrow();
});

test.each([
  ["application/pdf", "text/plain, text/*, application/json, image/*", undefined],
  ["textual/plain", "text/plain, text/*, application/json, image/*", undefined],
  ["image/png", "application/pdf", ["application/pdf"]],
  ["x".repeat(999), "text/*", ["text/*"]],
])(
  "a part of the type %s is refused if the agent reads only the types %s",
  (mediaType, listed, modes) => {
    const path = "message.parts[1].mediaType";

    expect(() => checkInputModes([{ type: "data", data: 1 }, file(mediaType)], modes)).toThrow(
      expect.objectContaining({
        code: "content-type-not-supported",
        message: `${path}: ${mediaType.slice(0, 128)} is not supported; use one of ${listed}`,
        data: { path, inputModes: listed.split(", ") },
      }),
    );
  },
);
