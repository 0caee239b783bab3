/** A call of another agent, as the journal stores it. */
export interface AgentCallRecord {
  /** Name of the agent in the settings. */
  readonly agentName: string;
  readonly prompt: string;
  /** Id of the message to the agent. */
  readonly messageId: string;
  /** Task of the agent; undefined until the agent has accepted the message. */
  readonly taskId?: string;
}

/** Lets a running tool call read and store its calls of other agents. */
export interface RunningAgentCalls {
  /** Number of agents that called each other until this turn was prompted; 0 if a person prompted it. */
  readonly depth: number;
  /** Calls that a restart interrupted. A retry of their turn can join them. */
  readonly interrupted: readonly AgentCallRecord[];
  /**
   * Stores a call of another agent: first before the message is sent, and again when the task is known.
   * Resolves when the record is durable.
   */
  save(call: AgentCallRecord): Promise<void>;
}

/** The value for a call that runs outside a session. Nothing is stored. */
export const NO_AGENT_CALLS: RunningAgentCalls = {
  depth: 0,
  interrupted: [],
  async save() {},
};
