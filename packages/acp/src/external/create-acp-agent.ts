import type {
  ConnectAgentOptions,
  ExternalAgent,
  ExternalProgram,
  ExternalSession,
} from "@dt/schema";
import type { LineLimits } from "../stdio/json-line-stream.js";
import { openAgentLink } from "./agent-link.js";
import { openAcpSession } from "./open-acp-session.js";

/** Options of {@link createAcpAgent}. */
export interface AcpAgentOptions {
  /** Name to show. */
  readonly name: string;
  readonly program: ExternalProgram;
  /**
   * Ways to sign in without a person. If the agent demands a login, dt tries these ways in order and skips any
   * that the agent does not offer.
   */
  readonly authMethods?: readonly string[] | undefined;
  /**
   * True if a file that does not exist is read as an empty one. Gemini CLI needs this to create files, because it
   * does not recognise the protocol's error for a missing file.
   */
  readonly readsMissingAsEmpty?: boolean | undefined;
  readonly timeouts?: Partial<AcpTimeouts> | undefined;
  readonly limits?: LineLimits | undefined;
}

/** Times in milliseconds that an agent gets to answer. */
export interface AcpTimeouts {
  readonly initialize: number;
  /** Time to open a new session, to load an earlier one, or to sign in. */
  readonly open: number;
  /** Time to choose a mode or model. */
  readonly choose: number;
}

/** The default times. Some agents load a runtime or ask a server when they start. */
export const DEFAULT_ACP_TIMEOUTS: AcpTimeouts = {
  initialize: 120_000,
  open: 120_000,
  choose: 30_000,
};

/** Creates an external agent that speaks the Agent Client Protocol, version 1. Nothing runs yet. */
export function createAcpAgent(options: AcpAgentOptions): ExternalAgent {
  const { name, program } = options;
  const timeouts = { ...DEFAULT_ACP_TIMEOUTS, ...options.timeouts };
  return {
    name,
    program,
    async connect(connecting: ConnectAgentOptions): Promise<ExternalSession> {
      const { limits, readsMissingAsEmpty } = options;
      const link = openAgentLink({ name, limits, readsMissingAsEmpty, ...connecting });
      try {
        return await link.orEnd(
          openAcpSession({ link, timeouts, authMethods: options.authMethods ?? [], ...connecting }),
        );
      } catch (reason) {
        link.close();
        throw await link.explain(reason);
      }
    },
  };
}
