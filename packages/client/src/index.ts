export {
  emptyTaskView,
  isProtocolError,
  openQuestions,
  reduceTaskView,
  type SessionEvent,
  type TaskView,
  type ToolCall,
} from "@dt/schema";
export type {
  AgentClient,
  ConnectionState,
  PromptInput,
  StartTaskOptions,
} from "./agent-client.js";
export { type ConnectOptions, connect } from "./connect.js";
export { SetupError } from "./errors/setup-error.js";
export { TransportError, type TransportReason } from "./errors/transport-error.js";
export type {
  Answer,
  AnswerResult,
  CallOptions,
  EventsOptions,
  TaskHandle,
} from "./task/task-handle.js";
export type { ReconnectSchedule } from "./transport/reconnect.js";
