import type { SharedCredentials } from "../../store/instances/instance-store.js";

/** The credentials of clients of other instances. A permission mode that such a client sets ends with its credential. */
export interface RemoteCredentials {
  /** Shares a credential of this instance with other instances, until the credential ends. */
  publish(credential: string): Promise<void>;
  /** Starts to check a credential of another instance. */
  adopt(credential: string): void;
  /** Returns true for an adopted credential, until a check no longer finds it alive. */
  isAlive(credential: string): boolean;
  close(): void;
}

/** Options of {@link createRemoteCredentials}. */
export interface RemoteCredentialsOptions {
  readonly shared: SharedCredentials;
  /** Returns true if a credential of this instance is alive. */
  isAliveHere(credential: string): boolean;
  onFault(reason: unknown): void;
}

/**
 * Interval of checks. A credential ends here within about two intervals after it has ended at its own
 * instance.
 */
const CHECK_MS = 500;

/** Creates an empty list. It checks nothing before the first credential. */
export function createRemoteCredentials(options: RemoteCredentialsOptions): RemoteCredentials {
  const { shared, isAliveHere, onFault } = options;
  const published = new Set<string>();
  const adopted = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function checkLater(): void {
    if (isClosed || timer !== undefined) return;
    timer = setTimeout(() => {
      check()
        .catch(onFault)
        .finally(() => {
          timer = undefined;
          if (published.size + adopted.size > 0) checkLater();
        });
    }, CHECK_MS).unref();
  }

  async function check(): Promise<void> {
    const ended = [...published].filter((credential) => !isAliveHere(credential));
    if (ended.length > 0) {
      await shared.withdraw(ended);
      for (const credential of ended) published.delete(credential);
    }
    const known = [...adopted, ...published];
    if (known.length === 0) return;
    const alive = new Set(await shared.findAlive(known));
    for (const credential of known) {
      if (alive.has(credential)) continue;
      adopted.delete(credential);
      // If the lease of this instance has ended meanwhile, the next request publishes the credential again.
      published.delete(credential);
    }
  }

  return {
    async publish(credential) {
      if (published.has(credential) || !isAliveHere(credential)) return;
      await shared.publish(credential);
      published.add(credential);
      checkLater();
    },
    adopt(credential) {
      adopted.add(credential);
      checkLater();
    },
    isAlive: (credential) => adopted.has(credential),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
