import type * as command from "../gen/development_tool/command.js";
import type * as confirmation from "../gen/development_tool/confirmation.js";
import type * as event from "../gen/development_tool/event.js";
import type * as fileDiff from "../gen/development_tool/file_diff.js";
import type * as settings from "../gen/development_tool/settings.js";
import type * as thought from "../gen/development_tool/thought.js";
import type * as toolCall from "../gen/development_tool/tool_call.js";
import type * as session from "../gen/dt_session/event.js";
import type * as push from "../gen/dt_session/push.js";

/** Every message of both extensions, by its name in the proto. */
export interface Messages {
  AgentSettings: settings.AgentSettings;
  McpServer: settings.McpServer;
  ToolCall: toolCall.ToolCall;
  ToolOutput: toolCall.ToolOutput;
  ErrorDetails: toolCall.ErrorDetails;
  FileDiff: fileDiff.FileDiff;
  ConfirmationRequest: confirmation.ConfirmationRequest;
  ConfirmationOption: confirmation.ConfirmationOption;
  ExecuteDetails: confirmation.ExecuteDetails;
  McpDetails: confirmation.McpDetails;
  GenericDetails: confirmation.GenericDetails;
  ToolCallConfirmation: confirmation.ToolCallConfirmation;
  ModifiedFileDetails: confirmation.ModifiedFileDetails;
  AgentThought: thought.AgentThought;
  DevelopmentToolEvent: event.DevelopmentToolEvent;
  GetAllSlashCommandsResponse: command.GetAllSlashCommandsResponse;
  SlashCommand: command.SlashCommand;
  SlashCommandArgument: command.SlashCommandArgument;
  ExecuteSlashCommandRequest: command.ExecuteSlashCommandRequest;
  ExecuteSlashCommandResponse: command.ExecuteSlashCommandResponse;
  SessionEventInfo: session.SessionEventInfo;
  Origin: session.Origin;
  ConfirmationAnswer: session.ConfirmationAnswer;
  Presence: session.Presence;
  Usage: session.Usage;
  Citation: session.Citation;
  ConsoleLog: session.ConsoleLog;
  ThoughtSummary: session.ThoughtSummary;
  PromptQueue: session.PromptQueue;
  QueuedPrompt: session.QueuedPrompt;
  PushConfigInfo: push.PushConfigInfo;
}
