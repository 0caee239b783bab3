/** Why an MCP server cannot be used. The sentence follows its name: `the MCP server x …`. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  /** Whether trying again cannot help: no such program, no permission. */
  readonly isFinal: boolean;

  constructor(message: string, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}
