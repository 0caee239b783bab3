import type { FacePort, FaceReply, Part } from "@dt/schema";
import { promptParts } from "../../prompt/read-mentions.js";

/**
 * Creates a function that sends prompts in the order in which they were typed, each with the files that it
 * mentions. If the agent runs in another process, `directory` is undefined and no files are read.
 */
export function createPromptSender(
  face: Pick<FacePort, "handle">,
  directory: string | undefined,
): (text: string) => Promise<FaceReply> {
  let reading: Promise<unknown> = Promise.resolve();

  async function read(text: string): Promise<readonly Part[]> {
    return directory === undefined ? [{ type: "text", text }] : await promptParts(text, directory);
  }

  return async (text) => {
    const parts = reading.then(() => read(text));
    reading = parts.catch(() => {});
    return await face.handle({ type: "prompt", parts: await parts });
  };
}
