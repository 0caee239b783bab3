import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** A name → all its addresses; rejects where it has none. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** How names are resolved. */
export interface NameResolverOptions {
  /** The name servers, e.g. `127.0.0.1:5353`; by default the system's. */
  readonly servers?: readonly string[];
  /** How long a name server may take, twice. Default: 1.5 seconds. */
  readonly timeoutMs?: number;
}

/**
 * Resolves names without the thread pool: a client may name a host whose servers never answer, and a
 * few of those would stop all work on files. What the name service does not know, the system is
 * asked for (its hosts file, its search domains), one name at a time.
 */
export function createNameResolver(options: NameResolverOptions = {}): ResolveName {
  const resolver = new Resolver({ timeout: options.timeoutMs ?? 1_500, tries: 2 });
  if (options.servers !== undefined) resolver.setServers(options.servers);
  let earlier: Promise<unknown> = Promise.resolve();

  function askSystem(host: string): Promise<readonly LookupAddress[]> {
    const asked = earlier.then(() => lookup(host, { all: true }));
    earlier = asked.catch(() => {});
    return asked;
  }

  return async (host) => {
    if (/(^|\.)localhost\.?$/i.test(host)) return await askSystem(host);
    const [ipv4, ipv6] = await Promise.allSettled([
      resolver.resolve4(host),
      resolver.resolve6(host),
    ]);
    const found = [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)];
    if (found.length > 0) return found;
    const timedOut = [ipv4, ipv6].find((each) => reasonOf(each)?.code === "ETIMEOUT");
    if (timedOut !== undefined) throw reasonOf(timedOut);
    return await askSystem(host);
  };
}

function toAddresses(
  settled: PromiseSettledResult<readonly string[]>,
  family: 4 | 6,
): readonly LookupAddress[] {
  return settled.status === "fulfilled"
    ? settled.value.map((address) => ({ address, family }))
    : [];
}

function reasonOf(settled: PromiseSettledResult<unknown>): NodeJS.ErrnoException | undefined {
  return settled.status === "rejected" ? settled.reason : undefined;
}
