import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DEFAULT_EXTENSION_URIS } from "@dt/schema";
import { createDialects } from "@dt/schema/wire";
import { createAuthentication } from "../access/auth/authenticate.js";
import { findBearerToken } from "../access/auth/bearer-token.js";
import { createCallerFinder } from "../access/auth/find-caller.js";
import type { JwtAuthentication } from "../access/auth/jwt-authentication.js";
import type { LocalToken } from "../access/auth/local-token.js";
import type { TokenAuthority } from "../access/auth/token-authority.js";
import { createSessionSharing } from "../access/grants/sharing.js";
import { DEFAULT_LIMITS } from "../access/limits/limits.js";
import { createStreamLimit } from "../access/limits/stream-limit.js";
import { limitSignIns } from "../access/rates/limit-sign-ins.js";
import { createRateLimits } from "../access/rates/rate-limits.js";
import { findClientAddress } from "../access/source/client-address.js";
import type { AgentCardContent } from "../agent-card/build-agent-card.js";
import type { AuditLog } from "../audit/audit-log.js";
import { auditAuthentication } from "../audit/audit-requests.js";
import { toClock } from "../clock.js";
import type { HttpAppOptions } from "../http/create-http-app.js";
import { createSharedSnapshots } from "../rpc/frames/shared-snapshots.js";
import { createInFlight } from "../rpc/messages/in-flight.js";
import { createCardReader, createExtendedCard, needsToken } from "./read-card.js";
import { requiresAuth } from "./requires-auth.js";
import type { ServerOptions } from "./server-options.js";

/** Default maximum size of a body, a WebSocket frame or a gRPC message. */
export const DEFAULT_MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Converts the options of a server to the options of its HTTP and WebSocket routes. */
export function toHttpOptions(
  options: ServerOptions,
  parts: Pick<HttpAppOptions, "guard" | "onFault" | "unfinished"> &
    Pick<HttpAppOptions["services"], "stopping"> & {
      /** Addresses that are known once the server listens. */
      readonly addresses: Readonly<Pick<AgentCardContent, "url" | "grpcAddress">>;
      countClients(): number;
      readonly tokens: TokenAuthority;
      readonly audit: AuditLog;
      readonly jwt: JwtAuthentication | undefined;
      readonly localToken: LocalToken | undefined;
    },
): HttpAppOptions {
  const { uris = DEFAULT_EXTENSION_URIS, isExtensionRequired = false } = options;
  const { sessions, credentials, pushes, access, store } = options;
  const { stopping, guard, unfinished, onFault, addresses, countClients, audit } = parts;
  const authenticate = createAuthentication(
    createCallerFinder({
      tokens: parts.tokens,
      jwt: parts.jwt,
      localToken: parts.localToken,
      authenticate: options.authenticate,
      isAuthRequired: requiresAuth(options),
    }),
    { credentials, clock: toClock(options) },
  );
  const card = createCardReader(options, addresses);
  const requiresToken = needsToken(options);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const rates = createRateLimits({ limits, metrics: options.metrics });
  const addressOf = (request: IncomingMessage) => findClientAddress(request, options);
  return {
    services: {
      sessions,
      credentials,
      ...(access !== undefined && {
        access,
        sharing: createSessionSharing(store, toClock(options)),
      }),
      stopping,
      audit,
      tasks: store,
      ...(pushes !== undefined && { pushes }),
      inFlight: createInFlight(),
      snapshots: createSharedSnapshots(),
      streams: createStreamLimit(limits.maxStreamsPerPrincipal),
      rates,
      ...(options.metrics !== undefined && { metrics: options.metrics }),
      ...(options.listCommands !== undefined && { listCommands: options.listCommands }),
      workspaceRoots: {
        directories: options.workspaceRoots,
        policy: options.policy?.workspaceRoots,
      },
      defaultSettings: options.defaultSettings,
      ...(options.policy !== undefined && { policy: options.policy }),
      createId: randomUUID,
      clock: toClock(options),
      isExtensionRequired,
      ...(options.inputModes !== undefined && { inputModes: options.inputModes }),
      uris,
      dialects: createDialects(uris),
      ...(options.shared !== undefined && { shared: options.shared, countClients }),
      ...(options.live !== undefined && { live: options.live }),
      ...(requiresToken && { extendedCard: createExtendedCard(card) }),
    },
    authenticate: auditAuthentication(
      limitSignIns(authenticate, {
        rates,
        addressOf,
        findToken: (request) => findBearerToken(request) ?? parts.jwt?.findToken(request),
      }),
      { audit, trustsProxy: options.trustsProxy === true },
    ),
    countAnonymous: (request) => rates.countAnonymous(addressOf(request)),
    guard,
    unfinished,
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    onFault,
    card,
    ...(options.join !== undefined && { join: options.join }),
  };
}
