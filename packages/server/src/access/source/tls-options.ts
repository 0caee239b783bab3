/** Time in which a client must finish the handshake of TLS. */
const HANDSHAKE_MS = 10_000;

/** TLS options of both HTTP and gRPC. */
export const TLS_OPTIONS = { minVersion: "TLSv1.2", handshakeTimeout: HANDSHAKE_MS } as const;
