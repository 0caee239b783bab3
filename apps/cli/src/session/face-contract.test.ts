import { faceContract } from "@dt/schema/testing";
import { describe, test } from "vitest";
import { openLocalStage, openRemoteStage } from "./face-stage.test-support.js";

describe.each([
  ["of this process", openLocalStage],
  ["of another process", openRemoteStage],
])("the face of a session %s", (_, openStage) => {
  test.each(faceContract)("$name", async ({ check }) => {
    await using stage = await openStage();

    await check(stage);
  });
});
