/**
 * One step of a model: text, a call of a tool, or a wait that ends only when the request is aborted.
 *
 * @typedef {{ text: string } | { tool: "write" | "run", input: string[] } | { wait: true }} Step
 */

const ORDER = /^(say|write|run|wait)\b/;

/** Returns true if a text is a list of orders, such as `write a.txt: hello then say done`. */
export function isOrder(text) {
  return ORDER.test(text.trim());
}

/**
 * Returns the steps of the next reply: all texts up to the next call. The conversation decides which call is next,
 * so that the model keeps no state and a restarted agent continues where it was.
 *
 * @param {string} order the last prompt
 * @param {number} results number of results of tools since that prompt
 * @returns {Step[]}
 */
export function followOrders(order, results) {
  const steps = order.trim().split(" then ").map(toStep);
  const calls = steps.flatMap((step, index) => ("tool" in step ? [index] : []));
  const start = results === 0 ? 0 : (calls[results - 1] ?? steps.length) + 1;
  const next = calls[results] ?? steps.length;
  return steps.slice(start, next + 1);
}

function toStep(order) {
  const [verb, ...words] = order.split(" ");
  const rest = words.join(" ");
  if (verb === "say") return { text: rest };
  if (verb === "wait") return { wait: true };
  if (verb === "run") return { tool: "run", input: [rest] };
  const colon = rest.indexOf(": ");
  return { tool: "write", input: [rest.slice(0, colon), rest.slice(colon + 2)] };
}
