import type { AgentLedger, AgentSettings, JsonObject } from "@dt/schema";
import type { AllowList } from "@dt/schema/address";
import type { AgentClock } from "../clock.js";
import type { Command } from "../commands/command.js";
import type { Settings } from "../settings/settings.js";

/** Where a session works, and what it may use. All that comes from the system is passed in. */
export interface AgentSessionOptions {
  readonly workspacePath: string;
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A directory for this session alone: outputs and checkpoints. */
  readonly dataDirectory: string;
  /** Where the app keeps the data of all sessions: each change in there is asked about. */
  readonly agentDirectories?: readonly string[];
  readonly ledger: AgentLedger;
  readonly journal?: readonly JsonObject[];
  /** Why the session that wrote the journal stopped; see {@link SessionOptions.interruption}. */
  readonly interruption?: string;
  /** A task that stays open as long as the session does; see {@link SessionOptions.openTaskId}. */
  readonly openTaskId?: string;
  /** Whether a credential has not ended; see {@link SessionOptions.isCredentialAlive}. */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /** The credential of the host's own terminal, which alone may run `/trust` and is not asked about `/memory add`. Default: nobody's. */
  readonly hostCredential?: string;
  /** Throws a ModelError if no model is named and no key is set. Default: the offline model answers. */
  readonly needsModel?: boolean;
  /** What the command line decided. */
  readonly flags?: Settings;
  /** What a client asked for when it opened the session. */
  readonly client?: AgentSettings;
  /** Whether that client connected over loopback; only then may its MCP servers be on this machine. */
  readonly isClientLocal?: boolean;
  /** Where else than on the public internet a client's MCP servers may be. Default: nowhere. */
  readonly mcpAllowList?: AllowList;
  /** Commands of the program that embeds the agent. */
  readonly commands?: readonly Command[];
  /** Told of settings that were left out, and why. */
  readonly onWarning?: (warning: string) => void;
  readonly onFault?: (reason: unknown) => void;
  /** Default: the clock of this machine. */
  readonly clock?: AgentClock;
}
