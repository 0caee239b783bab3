import { expect, test } from "vitest";
import { sampleServer } from "./prove-flat-server.js";
import { recordProof } from "./record-proof.js";

const SESSIONS = 5_000;

test("a server frees the memory of 2,500 further sessions after their eviction [SEC-09]", async () => {
  await recordProof("the memory of a server after many evicted sessions", SESSIONS, async () => {
    const [half, whole] = await sampleServer(SESSIONS);
    const heap = (whole.heap - half.heap) / (SESSIONS / 2);

    // The limit is 256 bytes per session, because the size of the heap varies between two collections.
    expect(heap).toBeLessThan(256);
    // A client may keep some connections open for a moment.
    expect(whole.handles - half.handles).toBeLessThan(15);
    expect(whole.descriptors - half.descriptors).toBeLessThan(15);
    return `held: ${Math.round(heap)} bytes of heap for each of the last ${SESSIONS / 2} sessions; handles ${half.handles} → ${whole.handles}, descriptors ${half.descriptors} → ${whole.descriptors}`;
  });
});
