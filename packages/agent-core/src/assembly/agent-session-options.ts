import type {
  AgentLedger,
  AgentSettings,
  BudgetPort,
  CallAgent,
  EditorFiles,
  ExternalAgent,
  JsonObject,
  ServerPolicy,
} from "@dt/schema";
import type { AllowList } from "@dt/schema/address";
import type { AgentClock } from "../clock.js";
import type { Command } from "../commands/command.js";
import type { Settings } from "../settings/settings.js";

/** Options of {@link openAgentSession}. The app passes everything that comes from the system. */
export interface AgentSessionOptions {
  readonly workspacePath: string;
  /** The person's home directory. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Directory of this session for outputs and checkpoints. */
  readonly dataDirectory: string;
  /** Directories with the data of all sessions. Changes in these directories need approval, except in yolo mode. */
  readonly agentDirectories?: readonly string[];
  readonly ledger: AgentLedger;
  /** Counts what sessions and users spend. Default: nothing is counted, so the budgets of the settings have no effect. */
  readonly budget?: BudgetPort;
  readonly journal?: readonly JsonObject[];
  /** Reason why the earlier process of this session stopped; see {@link SessionOptions.interruption}. */
  readonly interruption?: string;
  /** Task that stays open as long as the session; see {@link SessionOptions.openTaskId}. */
  readonly openTaskId?: string;
  /** Returns false once a credential has ended; see {@link SessionOptions.isCredentialAlive}. */
  readonly isCredentialAlive?: (credential: string) => boolean;
  /**
   * Credential of the host's own terminal. `/trust` works only at this terminal. `/memory add` and
   * `/extensions` ask no question there.
   */
  readonly hostCredential?: string;
  /**
   * True to throw `ModelError` if no model is named and there is no access to Gemini. False (default) to use
   * the offline model then.
   */
  readonly needsModel?: boolean;
  /** Settings from the command line. */
  readonly flags?: Settings;
  /** File with the default settings of every session. All other settings override these defaults. Default: none. */
  readonly defaultsFile?: string | undefined;
  /** Limits that no flag, file, client, command or answer can loosen. Default: no limits. */
  readonly policy?: ServerPolicy | undefined;
  /** Settings from the client that opened the session. */
  readonly client?: AgentSettings;
  /** Model key that the client sent. It replaces the keys of the environment. */
  readonly modelKey?: string;
  /** Files of the editor that drives the session. Default: files are read and written on disk. */
  readonly editorFiles?: EditorFiles;
  /** True if the client connected over loopback. Only then may its MCP servers be on this machine. */
  readonly isClientLocal?: boolean;
  /** Addresses outside the public internet that a client's MCP servers may have. Default: none. */
  readonly mcpAllowList?: AllowList;
  /** Agent of another program that runs the turns. Default: our own model and tools. */
  readonly externalAgent?: ExternalAgent;
  /** Calls the agents that the settings name. Without this function, the tool `call_agent` does not exist. */
  readonly callAgent?: CallAgent;
  /** Commands of the program that embeds the agent. */
  readonly commands?: readonly Command[];
  /** Problems that the app found. They are reported together with the session's own warnings. */
  readonly warnings?: readonly string[];
  /** Called for each warning, for example about a configuration file that was ignored. */
  readonly onWarning?: (warning: string) => void;
  /** True to send the warnings also to clients, as events of the next turn. Default: false. */
  readonly announcesWarnings?: boolean;
  readonly onFault?: (reason: unknown) => void;
  /** Default: the clock of this machine. */
  readonly clock?: AgentClock;
}
