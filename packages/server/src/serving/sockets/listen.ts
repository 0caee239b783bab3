import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { SetupError } from "@dt/schema";

/** Starts to listen; throws {@link SetupError} if the address cannot be used. */
export async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw toSetupError(cause, host, port);
  }
  return server.address() as AddressInfo;
}

/** Converts an address to host and port. */
export function authorityOf({ address, port, family }: AddressInfo): string {
  return `${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function toSetupError(cause: unknown, host: string, port: number): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new SetupError(`port ${port} on ${host} is already in use`, { cause });
  if (code === "EACCES")
    return new SetupError(`this user is not allowed to listen on port ${port} of ${host}`, {
      cause,
    });
  return new SetupError(`cannot listen on ${host}:${port}: ${message}`, { cause });
}
