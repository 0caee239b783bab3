import { randomBytes } from "node:crypto";
import { type Caller, ProtocolError } from "@dt/schema";
import { isFromThisMachine } from "../source/from-loopback.js";
import type { Authenticate } from "./authenticate.js";
import { findLocalCaller } from "./local-caller.js";
import { digestSecret, hasDigest } from "./token-format.js";

/**
 * The secret of one server process, for other programs of the person who runs the process. These programs
 * read the secret from the agent file. The secret is not stored, so it is valid only until the process ends.
 */
export interface LocalToken {
  readonly text: string;
  /**
   * Returns the local user if `token` is this token, else undefined. Throws if the request comes from another machine.
   */
  findCaller(request: Parameters<Authenticate>[0], token: string): Caller | undefined;
}

/** Creates a token of 256 random bits. */
export function createLocalToken(): LocalToken {
  const text = `dt_local_${randomBytes(32).toString("base64url")}`;
  const digest = digestSecret(text);
  return {
    text,
    findCaller(request, token) {
      if (!hasDigest(token, digest)) return undefined;
      // A model may read an agent file in its workspace and send the token elsewhere. So a request from
      // another machine is refused.
      if (isFromThisMachine(request)) return findLocalCaller(request);
      throw new ProtocolError(
        "unauthenticated",
        "the token of an agent file is only valid on the machine of the agent; use another one",
      );
    },
  };
}
