import { EventEmitter, once } from "node:events";
import type { Model } from "@dt/agent-core";

/** A model that sends nothing until it is released. */
export interface HeldModel extends Model {
  /** Waits until the model was called this number of times. */
  called(times: number): Promise<void>;
  /** Lets all open and later calls continue. */
  release(): void;
}

export function createHeldModel(): HeldModel {
  const gate = new EventEmitter();
  const released = once(gate, "released");
  let count = 0;
  return {
    name: "held",
    async *stream() {
      count += 1;
      gate.emit("called");
      await released;
      yield { type: "text", text: "done" };
    },
    async called(times) {
      while (count < times) await once(gate, "called");
    },
    release: () => gate.emit("released"),
  };
}
