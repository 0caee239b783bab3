import { expect, test } from "vitest";
import { isFreerMode, stricterMode } from "./freer-mode.js";

const modes = ["plan", "default", "auto-edit", "yolo"] as const;

test("the modes from strict to free are plan, default, auto-edit and yolo", () => {
  for (const [index, mode] of modes.entries()) {
    expect(modes.map((than) => isFreerMode(mode, than))).toEqual(
      modes.map((_, other) => index > other),
    );
    expect(modes.map((other) => stricterMode(mode, other))).toEqual(
      modes.map((_, other) => modes[Math.min(index, other)]),
    );
  }
});
