/** Thrown if an MCP server cannot be used. The message continues a sentence that begins "the MCP server x". */
export class McpFailure extends Error {
  override readonly name = "McpFailure";
  /** True if a retry cannot help, for example because the program does not exist or access is refused. */
  readonly isFinal: boolean;

  constructor(message: string, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(message, options);
    this.isFinal = options.isFinal ?? false;
  }
}
