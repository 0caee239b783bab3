/**
 * The content of a task, an update or a message, without the differences between A2A's versions.
 *
 * @typedef {object} Seen
 * @property {string} [taskId]
 * @property {string} [contextId]
 * @property {string} [state] in the words of A2A 0.3, such as `input-required`
 * @property {string} text text of the message or of the status
 * @property {object[]} data structured data of the message or of the status
 * @property {Record<string, string>} artifacts texts of the artifacts, by name
 */

/**
 * Reads a task, an update or a message: JSON of A2A 0.3, or ProtoJSON of A2A 1.0.
 *
 * @returns {Seen}
 */
export function toSeen(json) {
  const value = json.task ?? json.statusUpdate ?? json.artifactUpdate ?? json.message ?? json;
  const parts = value.parts ?? value.status?.message?.parts ?? [];
  const artifacts = value.artifacts ?? (value.artifact ? [value.artifact] : []);
  return {
    taskId: value.taskId ?? value.id,
    contextId: value.contextId,
    state: value.status && toState(value.status.state),
    text: textOf(parts),
    data: parts.flatMap(({ data }) => data ?? []),
    artifacts: Object.fromEntries(artifacts.map(({ name, parts: own }) => [name, textOf(own)])),
  };
}

function toState(state) {
  return state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

function textOf(parts) {
  return parts.map(({ text = "" }) => text).join("");
}
