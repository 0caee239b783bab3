import { expect, test } from "vitest";
import { faultKinds, proveFaults } from "./support/prove-faults.js";

const COUNT = 16;

test.each(faultKinds.map((kind, index) => ({ ...kind, index })))(
  "connection faults lose no event and repeat no event, over $transport in A2A $version [LOG-02, LOG-05]",
  async ({ transport, version, index }) => {
    const count = Math.ceil(COUNT / faultKinds.length);

    const { faults } = await proveFaults(count, 7_000 + 1_000 * index, [{ transport, version }]);

    expect(faults).toBeGreaterThan(2 * count);
  },
);
