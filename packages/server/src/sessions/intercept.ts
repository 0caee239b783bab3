import type { AgentPort } from "@dt/schema";

/** The one function of an agent. */
export type Handle = AgentPort["handle"];

/** Wraps the one function of an agent, for example to limit, measure or log its requests. */
export type Interceptor = (next: Handle) => Handle;

/** Wraps an agent in interceptors. The first one gets each request first. */
export function intercept(agent: AgentPort, interceptors: readonly Interceptor[]): AgentPort {
  const handle = interceptors.reduceRight<Handle>(
    (next, interceptor) => interceptor(next),
    (request, caller) => agent.handle(request, caller),
  );
  return { handle, close: () => agent.close() };
}
