/** Thrown if an MCP server cannot be used. The message continues `the MCP server x …`. */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  /** True if a retry cannot help: no such program, no permission. */
  readonly isFinal: boolean;

  constructor(message: string, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}
