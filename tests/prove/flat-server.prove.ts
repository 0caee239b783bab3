import { expect, test } from "vitest";
import { sampleServer } from "./prove-flat-server.js";
import { recordProof } from "./record-proof.js";

const SESSIONS = 5_000;

test("after 2,500 evicted sessions, 2,500 more leave no memory behind in a server [SEC-09]", async () => {
  await recordProof("the memory of a server after many evicted sessions", SESSIONS, async () => {
    const [half, whole] = await sampleServer(SESSIONS);
    const heap = (whole.heap - half.heap) / (SESSIONS / 2);

    // The limit is not 0, because the size of the heap differs a little after each garbage collection.
    expect(heap).toBeLessThan(256);
    // A client may keep some connections open for a moment.
    expect(whole.handles - half.handles).toBeLessThan(15);
    expect(whole.descriptors - half.descriptors).toBeLessThan(15);
    return `held: the heap grew by ${Math.round(heap)} bytes for each of the last ${SESSIONS / 2} sessions; handles ${half.handles} → ${whole.handles}, descriptors ${half.descriptors} → ${whole.descriptors}`;
  });
});
