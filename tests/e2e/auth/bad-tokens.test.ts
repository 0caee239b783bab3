import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createLogger, issueToken } from "@dt/server";
import { status } from "@grpc/grpc-js";
import { UnsecuredJWT } from "jose";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openRawGrpc } from "../grpc/grpc-client.js";
import { AUDIENCE, openProvider } from "./open-provider.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const MINUTE = 60;
const TEXT = "a prompt that must not run";

const now = () => Math.floor(Date.now() / 1_000);

/**
 * Opens a server that accepts its own tokens and those of an identity provider. The result also has the
 * server's log.
 */
async function openSetup() {
  const provider = await openProvider();
  const log: string[] = [];
  const logger = createLogger({ level: "debug", secrets: [], write: (line) => log.push(line) });
  const stage = await openTokenStage({ server: { jwt: provider.options, logger } });
  return {
    ...stage,
    provider,
    log: () => log.join(""),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

type Setup = Awaited<ReturnType<typeof openSetup>>;

const issue = (
  { store }: Setup,
  fields: Partial<Parameters<typeof issueToken>[1]> = {},
): Promise<string> =>
  issueToken(store, { user: "ada", name: "laptop", role: "admin", now: new Date(), ...fields });

/** Every kind of invalid token, with a function that creates it; undefined means no token. */
const BAD_TOKENS: readonly [string, (setup: Setup) => Promise<string | undefined>][] = [
  ["no token", async () => undefined],
  ["a text that is no token", async () => "hunter2-hunter2"],
  ["a token that was never created", async () => `dt_${"0".repeat(16)}_${"a".repeat(43)}`],
  ["a token with another secret", async (setup) => `${(await issue(setup)).slice(0, -6)}aaaaaa`],
  ["an expired token", (setup) => issue(setup, { now: new Date(0), lifetimeMs: 1_000 })],
  [
    "a revoked token",
    async (setup) => {
      const token = await issue(setup);
      await setup.store.revokeToken({ user: "ada", name: "laptop" }, new Date().toISOString());
      return token;
    },
  ],
  [
    "an unsigned JWT",
    async ({ provider: { issuer } }) =>
      new UnsecuredJWT({ dt_role: "admin" })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject("ada")
        .setExpirationTime("5m")
        .encode(),
  ],
  [
    "a JWT whose key is gone",
    async ({ provider, url }) => {
      const token = await provider.sign();
      await provider.rotate("two");
      // The server has only the new key after this request.
      await sendAs(`${url}v1/tasks`, { token: await provider.sign() });
      return token;
    },
  ],
  [
    "a JWT of a clock that is five minutes behind",
    ({ provider }) => provider.sign({}, now() - 5 * MINUTE),
  ],
  [
    "a JWT of a clock that is five minutes ahead",
    ({ provider }) => provider.sign({ nbf: now() + 5 * MINUTE }, now() + 10 * MINUTE),
  ],
];

test.for(BAD_TOKENS)(
  "%s is refused with 401 and one sentence on every binding, nothing is done, and nothing leaks [SEC-03, SEC-05]",
  async ([, create]) => {
    await using setup = await openSetup();
    using grpc = openRawGrpc(setup.grpcAddress);
    const token = await create(setup);
    const message = {
      kind: "message",
      messageId: randomUUID(),
      role: "user",
      parts: [{ kind: "text", text: TEXT }],
    };
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

    const answers = await Promise.all([
      sendAs(setup.url, { token, body: rpc("message/send", { message }) }),
      sendAs(setup.url, { token, body: rpc("message/stream", { message }) }),
      sendAs(`${setup.url}v1/tasks`, { token }),
      sendAs(`${setup.url}tasks`, { token, body: {} }),
      sendAs(`${setup.url}message/stream`, { token, body: { userMessage: TEXT } }),
      sendAs(`${setup.url}metrics`, { token }),
    ]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const socket = new WebSocket(setup.wsUrl, ["dt.a2a.v1"], { headers: authorization });
    const [, upgrade] = await once(socket, "unexpected-response");
    upgrade.resume();
    const call = await grpc
      .send("getTask", { id: "x" }, { headers: authorization })
      .catch((reason: unknown) => reason);
    const health = await fetch(`${setup.url}health`);

    expect(answers.slice(0, 5).map((answer) => answer.status)).toEqual(Array(5).fill(401));
    expect(upgrade.statusCode).toBe(401);
    expect(call).toMatchObject({ code: status.UNAUTHENTICATED });
    expect(health.status).toBe(200);
    expect(await setup.store.countTasks()).toEqual({ active: 0, total: 0 });
    for (const text of texts.slice(0, 5)) {
      expect(text).toMatch(/send a token|use another one|send the whole token/);
      expect(text).not.toContain("\\n");
    }
    const secret = token === undefined ? TEXT : token.slice(-20);
    expect(texts.join("") + setup.log()).not.toContain(secret);
    expect(texts.join("") + setup.log()).not.toContain(TEXT);
    expect(setup.faults).toEqual([]);
  },
);
