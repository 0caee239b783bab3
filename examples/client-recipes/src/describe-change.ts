// region: snippet
import {
  isAccess,
  isBackgroundProcess,
  isMode,
  isRewound,
  isTitle,
  isTodos,
  isUsage,
  isWarning,
  type SessionEvent,
} from "@dt/client";

/** Returns a line for an event of our session extension, or undefined for every other event. */
export function describeChange(event: SessionEvent): string | undefined {
  if (isTitle(event)) return `Title: ${event.title}`;
  if (isTodos(event)) return `Still to do: ${event.todos.length}`;
  if (isUsage(event)) return `Tokens in the context: ${event.report.contextTokens}`;
  if (isMode(event)) return `Mode of ${event.mode.origin?.name}: ${event.mode.mode}`;
  if (isWarning(event)) return `Warning: ${event.warning.message}`;
  if (isAccess(event)) return `Access of ${event.access.user}: ${event.access.role}`;
  if (isBackgroundProcess(event)) return `In the background: ${event.backgroundProcess.command}`;
  if (isRewound(event)) return `${event.rewound.origin?.name} took the conversation back`;
  return undefined;
}
// endregion
