import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** Finds all addresses of a name; rejects if the name has no address. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

/** Options of {@link createNameResolver}. */
export interface NameResolverOptions {
  /** Name servers, such as `127.0.0.1:5353`. Default: the name servers of the system. */
  readonly servers?: readonly string[];
  /** Timeout of each of two attempts. Default: 1.5 seconds. */
  readonly timeoutMs?: number;
}

/**
 * Creates a function that resolves names. It queries name servers itself. A look-up by the system uses Node's
 * thread pool, so a few names whose servers never answer would block all file access. Only `localhost`, and
 * names for which the name servers know no address, are looked up by the system (hosts file, search domains),
 * one at a time.
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
