import type { AgentPort } from "@dt/schema";

/** The function of an agent that handles its requests. */
export type Handle = AgentPort["handle"];

/** Wraps the {@link Handle} of an agent, for example to limit its requests. */
export type Interceptor = (next: Handle) => Handle;

/** Wraps an agent in interceptors. The first interceptor in the list gets each request first. */
export function intercept(agent: AgentPort, interceptors: readonly Interceptor[]): AgentPort {
  const handle = interceptors.reduceRight<Handle>(
    (next, interceptor) => interceptor(next),
    (request, caller) => agent.handle(request, caller),
  );
  return { handle, close: () => agent.close() };
}
