import { EventEmitter, once } from "node:events";
import type { Model } from "@dt/agent-core";

/** A model that sends nothing until it is released. */
export interface HeldModel extends Model {
  /** Resolves when the model was called this many times. */
  called(times: number): Promise<void>;
  /** Releases the open calls and all later ones. */
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
