// Generated from proto/ by tooling/scripts/generate.mjs. Do not edit.

/**
 * One field: its name in the proto, its name in TypeScript, its type (a scalar, "struct", a message's
 * name, or the values of an enum), and flags: r required, w written even when empty, l list, m map with string keys, o optional
 * (absent is not the default). A fifth entry is the oneof that it belongs to.
 */
export type Field = readonly [
  name: string,
  localName: string,
  type: string | readonly string[],
  flags?: string,
  oneof?: string,
];

export const fieldTable = {
  GetAllSlashCommandsResponse: [
    ["commands","commands","SlashCommand","l"],
  ],
  SlashCommand: [
    ["name","name","string","r"],
    ["description","description","string","w"],
    ["arguments","arguments","SlashCommandArgument","l"],
    ["sub_commands","subCommands","SlashCommand","l"],
  ],
  SlashCommandArgument: [
    ["name","name","string","r"],
    ["description","description","string","w"],
    ["is_required","isRequired","bool","w"],
  ],
  ExecuteSlashCommandRequest: [
    ["command_path","commandPath","string","rl"],
    ["args","args","string"],
    ["context_id","contextId","string","o"],
  ],
  ExecuteSlashCommandResponse: [
    ["execution_id","executionId","string","w"],
    ["status","status",["COMMAND_EXECUTION_STATUS_UNSPECIFIED","STARTED","FAILED_TO_START","AWAITING_SHELL_CONFIRMATION","AWAITING_ACTION_CONFIRMATION"],"r"],
    ["message","message","string"],
  ],
  FileDiff: [
    ["file_name","fileName","string","w"],
    ["file_path","filePath","string","r"],
    ["old_content","oldContent","string","o"],
    ["new_content","newContent","string","w"],
    ["formatted_diff","formattedDiff","string","o"],
  ],
  ConfirmationRequest: [
    ["options","options","ConfirmationOption","l"],
    ["execute_details","executeDetails","ExecuteDetails","","details"],
    ["file_edit_details","fileEditDetails","FileDiff","","details"],
    ["mcp_details","mcpDetails","McpDetails","","details"],
    ["generic_details","genericDetails","GenericDetails","","details"],
  ],
  ConfirmationOption: [
    ["id","id","string","r"],
    ["name","name","string","r"],
    ["description","description","string","o"],
  ],
  ExecuteDetails: [
    ["command","command","string","r"],
    ["working_directory","workingDirectory","string","o"],
  ],
  McpDetails: [
    ["server_name","serverName","string","r"],
    ["tool_name","toolName","string","r"],
  ],
  GenericDetails: [
    ["description","description","string","w"],
  ],
  ToolCallConfirmation: [
    ["tool_call_id","toolCallId","string","r"],
    ["selected_option_id","selectedOptionId","string","r"],
    ["file_details","fileDetails","ModifiedFileDetails","","modifiedDetails"],
  ],
  ModifiedFileDetails: [
    ["new_content","newContent","string","w"],
  ],
  DevelopmentToolEvent: [
    ["kind","kind",["DEVELOPMENT_TOOL_EVENT_KIND_UNSPECIFIED","TOOL_CALL_CONFIRMATION","TOOL_CALL_UPDATE","TEXT_CONTENT","STATE_CHANGE","THOUGHT"]],
    ["model","model","string"],
    ["user_tier","userTier","string"],
    ["error","error","string"],
  ],
  AgentSettings: [
    ["workspace_path","workspacePath","string","r"],
    ["auto_execute","autoExecute","bool","o"],
    ["model","model","string","o"],
    ["allowed_tools","allowedTools","string","l"],
    ["mcp_servers","mcpServers","McpServer","m"],
  ],
  McpServer: [
    ["command","command","string","o"],
    ["args","args","string","l"],
    ["env","env","string","m"],
    ["cwd","cwd","string","o"],
    ["url","url","string","o"],
    ["headers","headers","string","m"],
    ["options","options","struct","o"],
  ],
  AgentThought: [
    ["subject","subject","string","w"],
    ["description","description","string","w"],
  ],
  ToolCall: [
    ["tool_call_id","toolCallId","string","r"],
    ["status","status",["STATUS_UNSPECIFIED","PENDING","EXECUTING","SUCCEEDED","FAILED","CANCELLED"],"r"],
    ["tool_name","toolName","string","r"],
    ["description","description","string","o"],
    ["input_parameters","inputParameters","struct","o"],
    ["live_content","liveContent","string","o"],
    ["output","output","ToolOutput","","result"],
    ["error","error","ErrorDetails","","result"],
    ["confirmation_request","confirmationRequest","ConfirmationRequest","o"],
  ],
  ToolOutput: [
    ["text","text","string","","result"],
    ["diff","diff","FileDiff","","result"],
    ["structured_data","structuredData","struct","","result"],
  ],
  ErrorDetails: [
    ["message","message","string","w"],
    ["type","type","string","o"],
    ["status_code","statusCode","int32","o"],
  ],
  SessionEventInfo: [
    ["kind","kind",["SESSION_EVENT_KIND_UNSPECIFIED","USER_PROMPT","CITATION","CONSOLE_LOG","THOUGHT_SUMMARY","AGENT_SETTINGS","QUEUE"]],
    ["cursor","cursor","string"],
    ["origin","origin","Origin","o"],
    ["answer","answer","ConfirmationAnswer","o"],
    ["usage","usage","Usage","o"],
    ["trace_id","traceId","string"],
    ["presence","presence","Presence","o"],
  ],
  Presence: [
    ["mode","mode","string"],
    ["clients","clients","int32"],
  ],
  Origin: [
    ["principal","principal","string","r"],
    ["name","name","string"],
  ],
  ConfirmationAnswer: [
    ["tool_call_id","toolCallId","string","r"],
    ["selected_option_id","selectedOptionId","string","r"],
    ["origin","origin","Origin","o"],
  ],
  Usage: [
    ["input_tokens","inputTokens","int32"],
    ["output_tokens","outputTokens","int32"],
    ["thought_tokens","thoughtTokens","int32"],
    ["cached_tokens","cachedTokens","int32"],
  ],
  Citation: [
    ["uri","uri","string"],
    ["title","title","string"],
  ],
  ConsoleLog: [
    ["type","type","string"],
    ["content","content","string"],
  ],
  ThoughtSummary: [
    ["summary","summary","string"],
  ],
  PromptQueue: [
    ["prompts","prompts","QueuedPrompt","l"],
  ],
  QueuedPrompt: [
    ["message_id","messageId","string"],
    ["text","text","string"],
    ["origin","origin","Origin","o"],
  ],
  PushConfigInfo: [
    ["all_events","allEvents","bool"],
    ["state","state",["PUSH_STATE_UNSPECIFIED","DELIVERING","RETRYING","GAVE_UP"]],
    ["cursor","cursor","string"],
    ["failures","failures","int32"],
    ["next_attempt_at","nextAttemptAt","string"],
    ["last_error","lastError","string"],
  ],
} as const satisfies Record<string, readonly Field[]>;
