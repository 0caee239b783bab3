// Generated from proto/ by tooling/scripts/generate.mjs. Do not edit.

/**
 * The fields of each message. They are written as short text, because browsers load this table and it
 * must stay small. Commas separate the fields, and a field has two to four words:
 *
 * 1. its name in the proto; in TypeScript it is the same in camel case
 * 2. its type: a scalar, "struct", a message's name, or the values of an enum with "|" between them
 * 3. its flags: r required, w written even if it is empty, l list, m map with string keys, o optional (an
 *    absent field differs from one with the default value); "-" if there are no flags but a fourth word follows
 * 4. the name of the oneof, if the field belongs to one
 */
export const fieldTable: Readonly<Record<string, string>> = {
  GetAllSlashCommandsResponse:
    "commands SlashCommand l",
  SlashCommand:
    "name string r,description string w,arguments SlashCommandArgument l,sub_commands SlashCommand l",
  SlashCommandArgument:
    "name string r,description string w,is_required bool w",
  ExecuteSlashCommandRequest:
    "command_path string rl,args string,context_id string o",
  ExecuteSlashCommandResponse:
    "execution_id string w,status COMMAND_EXECUTION_STATUS_UNSPECIFIED|STARTED|FAILED_TO_START|AWAITING_SHELL_CONFIRMATION|AWAITING_ACTION_CONFIRMATION r,message string",
  FileDiff:
    "file_name string w,file_path string r,old_content string o,new_content string w,formatted_diff string o",
  ConfirmationRequest:
    "options ConfirmationOption l,execute_details ExecuteDetails - details,file_edit_details FileDiff - details,mcp_details McpDetails - details,generic_details GenericDetails - details",
  ConfirmationOption:
    "id string r,name string r,description string o",
  ExecuteDetails:
    "command string r,working_directory string o",
  McpDetails:
    "server_name string r,tool_name string r",
  GenericDetails:
    "description string w",
  ToolCallConfirmation:
    "tool_call_id string r,selected_option_id string r,file_details ModifiedFileDetails - modifiedDetails",
  ModifiedFileDetails:
    "new_content string w",
  DevelopmentToolEvent:
    "kind DEVELOPMENT_TOOL_EVENT_KIND_UNSPECIFIED|TOOL_CALL_CONFIRMATION|TOOL_CALL_UPDATE|TEXT_CONTENT|STATE_CHANGE|THOUGHT,model string,user_tier string,error string",
  AgentSettings:
    "workspace_path string r,auto_execute bool o,model string o,allowed_tools string l,mcp_servers McpServer m",
  McpServer:
    "command string o,args string l,env string m,cwd string o,url string o,headers string m,options struct o",
  AgentThought:
    "subject string w,description string w",
  ToolCall:
    "tool_call_id string r,status STATUS_UNSPECIFIED|PENDING|EXECUTING|SUCCEEDED|FAILED|CANCELLED r,tool_name string r,description string o,input_parameters struct o,live_content string o,output ToolOutput - result,error ErrorDetails - result,confirmation_request ConfirmationRequest o",
  ToolOutput:
    "text string - result,diff FileDiff - result,structured_data struct - result",
  ErrorDetails:
    "message string w,type string o,status_code int32 o",
  SessionEventInfo:
    "kind SESSION_EVENT_KIND_UNSPECIFIED|USER_PROMPT|CITATION|CONSOLE_LOG|THOUGHT_SUMMARY|AGENT_SETTINGS|QUEUE|TODOS|USAGE|MODE|TITLE|WARNING|BACKGROUND_PROCESS|REWOUND|ACCESS,cursor string,origin Origin o,answer ConfirmationAnswer o,usage Usage o,trace_id string,presence Presence o,parent_call_id string,facts SessionFacts o",
  SessionFacts:
    "title string,todos Todo l,mode ModeChange o,usage UsageReport o,processes BackgroundProcess l",
  Presence:
    "mode string,clients int32,caller Origin o",
  Origin:
    "principal string r,name string",
  ConfirmationAnswer:
    "tool_call_id string r,selected_option_id string r,origin Origin o,reason string o",
  Usage:
    "input_tokens int32,output_tokens int32,thought_tokens int32,cached_tokens int32",
  Citation:
    "uri string,title string",
  ConsoleLog:
    "type string,content string",
  ThoughtSummary:
    "summary string",
  PromptQueue:
    "prompts QueuedPrompt l",
  QueuedPrompt:
    "message_id string,text string,origin Origin o",
  TodoList:
    "todos Todo l",
  Todo:
    "description string r,status TODO_STATUS_UNSPECIFIED|PENDING|IN_PROGRESS|COMPLETED|CANCELLED r",
  UsageReport:
    "turn Usage o,session Usage o,context_tokens int32,context_limit int32,turn_cost Cost o,session_cost Cost o",
  Cost:
    "amount string r,currency string r",
  ModeChange:
    "mode string r,origin Origin o",
  SessionTitle:
    "title string r",
  Warning:
    "message string r",
  BackgroundProcess:
    "process_id string r,command string,state BACKGROUND_PROCESS_STATE_UNSPECIFIED|RUNNING|EXITED|STOPPED r,exit_code int32 o,tool_call_id string",
  Rewound:
    "message_id string r,origin Origin o,restored_files bool",
  AccessChange:
    "action ACCESS_ACTION_UNSPECIFIED|GRANTED|JOINED|ENDED r,user string,role string r,expires_at string,origin Origin o",
  ClientMessageInfo:
    "reasons string m,steer bool,call_depth int32",
  PushConfigInfo:
    "all_events bool,state PUSH_STATE_UNSPECIFIED|DELIVERING|RETRYING|GAVE_UP,cursor string,failures int32,next_attempt_at string,last_error string",
  AccessGrant:
    "grant_id string,user string,role string,created_at string,expires_at string,link_id string",
  ShareSessionRequest:
    "context_id string r,user string,role string r,ttl_seconds int32",
  ShareSessionResponse:
    "grant AccessGrant o,link string",
  UnshareSessionRequest:
    "context_id string r,grant_id string,user string",
  UnshareSessionResponse:
    "ended int32",
  AccessList:
    "context_id string,owner string,role string,grants AccessGrant l,clients Origin l",
  JoinSessionRequest:
    "link string r",
  GrantedSession:
    "context_id string,owner string,role string,expires_at string,last_prompt string,last_active_at string",
  GrantedSessions:
    "sessions GrantedSession l",
};
