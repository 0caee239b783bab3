import { type FaceDoneReply, type FaceReply, isProtocolError } from "@dt/schema";

/** Reply to a request that took effect. */
export const DONE: FaceDoneReply = { type: "done" };

/** Turns a refusal of the agent into a reply; rethrows any other error. */
export async function toFaceReply(work: () => Promise<FaceReply>): Promise<FaceReply> {
  try {
    return await work();
  } catch (reason) {
    if (!isProtocolError(reason)) throw reason;
    const { code, message } = reason;
    return { type: "refused", code, message };
  }
}
