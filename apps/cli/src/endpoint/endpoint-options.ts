import type { Role } from "@dt/schema";
import { isLoopbackAddress } from "@dt/schema/address";
import { SetupError, type TlsFiles } from "@dt/server";

/** The endpoint at which other clients can join the session of this process. */
export interface EndpointOptions {
  /** True if the endpoint opens together with the session; otherwise the first `/share` opens it. */
  readonly opensAtStart: boolean;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** Address at which devices reach the endpoint, if it is not the address to listen on. */
  readonly publicUrl?: string;
  readonly tls?: TlsFiles;
  /** True if the person allows other machines to connect over unencrypted http. */
  readonly allowsPlainHttp: boolean;
  /** Role to offer to a device at the start; undefined to offer none. */
  readonly offer?: Role;
}

/** An endpoint on loopback that the first `/share` opens. */
export const DEFAULT_ENDPOINT: EndpointOptions = {
  opensAtStart: false,
  port: 0,
  host: "127.0.0.1",
  allowsPlainHttp: false,
};

/** Throws if other machines would use the endpoint without encryption, and the person has not allowed this. */
export function checkEncryption({ host, tls, publicUrl, allowsPlainHttp }: EndpointOptions): void {
  if (allowsPlainHttp) return;
  if (tls === undefined && !isOwnMachine(host)) {
    throw new SetupError(
      `plain http on ${host} lets everyone on the network read the session; set DT_TLS_CERT and DT_TLS_KEY, or allow it with --insecure-http`,
    );
  }
  const { protocol, hostname } = new URL(publicUrl ?? "https://none/");
  if (protocol === "http:" && !isOwnMachine(hostname)) {
    throw new SetupError(
      `DT_PUBLIC_URL is plain http, which others on the network can read; use https, or allow it with --insecure-http`,
    );
  }
}

/** Returns true if only programs of this machine can reach a host. */
export function isOwnMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || isLoopbackAddress(name);
}
