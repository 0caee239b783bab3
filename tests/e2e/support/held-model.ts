import { EventEmitter, once } from "node:events";
import type { Model } from "@dt/agent-core";

/** A model that says nothing until it is released. */
export interface HeldModel extends Model {
  /** Resolves when it has been asked so many times. */
  asked(times: number): Promise<void>;
  /** Lets every answer come, from now on. */
  release(): void;
}

/** Creates a model that is held. */
export function createHeldModel(): HeldModel {
  const gate = new EventEmitter();
  const released = once(gate, "released");
  let count = 0;
  return {
    name: "held",
    async *stream() {
      count += 1;
      gate.emit("asked");
      await released;
      yield { type: "text", text: "done" };
    },
    async asked(times) {
      while (count < times) await once(gate, "asked");
    },
    release: () => gate.emit("released"),
  };
}
