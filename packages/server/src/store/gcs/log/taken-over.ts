import { ProtocolError } from "@dt/schema";
import { StoreFault } from "../../store-fault.js";
import { BucketFault } from "../bucket/object-bucket.js";

/** The error of a store that no longer owns its bucket. Clients may send the request to the other server. */
export class BucketTakenOver extends ProtocolError {
  constructor(place: string) {
    super(
      "agent-busy",
      `another dt-server took over the bucket ${place}; this server stores nothing until it is started again`,
    );
  }
}

/** Converts the error of a bucket to the fault that clients and the log get. */
export function toBucketStoreFault(error: unknown): unknown {
  if (!(error instanceof BucketFault)) return error;
  return new StoreFault("store-gone", `${error.message}; nothing is stored until it answers`, {
    cause: error,
    isTemporary: true,
  });
}
