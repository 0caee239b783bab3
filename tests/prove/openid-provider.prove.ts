import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { exportJWK, generateKeyPair } from "jose";
import { expect, test } from "vitest";
import { sendAs } from "../e2e/auth/token-stage.js";
import { startServerProcess } from "../e2e/support/server-process.js";
import { installPackages } from "./install-packages.js";
import { recordProof } from "./record-proof.js";

const CLIENT = { id: "ide", secret: "a-secret-of-forty-characters-for-the-ide" };
const AUDIENCE = "dt";

async function importProvider() {
  const directory = installPackages("dt-openid", { "oidc-provider": "9" });
  const entry = createRequire(path.join(directory, "package.json")).resolve("oidc-provider");
  return (await import(pathToFileURL(entry).href)).default;
}

async function createKey(kid: string) {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" };
}

/** Starts the provider on loopback. `rotate` replaces its only key. */
async function openOpenIdProvider() {
  const Provider = await importProvider();
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const resource = { scope: "", audience: AUDIENCE, accessTokenFormat: "jwt", accessTokenTTL: 300 };
  const client = {
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: "ES256",
  };
  const create = async (kid: string) =>
    new Provider(issuer, {
      jwks: { keys: [await createKey(kid)] },
      clients: [client],
      ttl: { ClientCredentials: 300 },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => "urn:dt",
          getResourceServerInfo: () => ({ ...resource, jwt: { sign: { alg: "ES256" } } }),
        },
      },
      extraTokenClaims: () => ({ groups: ["staff", "engineers"], dt_tier: "gold" }),
    }).callback();
  let handle = await create("one");
  http.on("request", (request, response) => handle(request, response));
  return {
    issuer,
    async rotate(kid: string) {
      handle = await create(kid);
    },
    /** Signs the client in at the token endpoint; resolves with its access token. */
    async signIn(): Promise<string> {
      const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString("base64");
      const response = await fetch(`${issuer}/token`, {
        method: "POST",
        headers: {
          Authorization: `Basic ${basic}`,
          "Content-Type": "application/x-www-form-urlencoded",
        },
        body: "grant_type=client_credentials",
      });
      return String(((await response.json()) as { access_token?: string }).access_token);
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

test("a user of an OpenID provider from npm signs in to dt-server, also after its key has changed [SRV-18]", async () => {
  await recordProof("sign-in with the OpenID provider oidc-provider", 2, async () => {
    await using provider = await openOpenIdProvider();
    await using workspace = await openTempWorkspace();
    const configuration = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
    const { jwks_uri: keys } = (await configuration.json()) as { jwks_uri: string };
    await using server = await startServerProcess(
      {
        DT_DATA_DIR: path.join(workspace.root, "data"),
        CODER_AGENT_PORT: "0",
        DT_AUTH: "required",
        DT_JWT_JWKS_URL: keys,
        DT_JWT_ISSUER: provider.issuer,
        DT_JWT_AUDIENCE: AUDIENCE,
        DT_JWT_ROLE_CLAIM: "groups",
        DT_JWT_ROLES: "engineers=approve,leads=admin",
      },
      workspace.root,
    );
    const card = `${server.url}v1/extendedAgentCard`;

    const first = await sendAs(card, { token: await provider.signIn() });
    await provider.rotate("two");
    const token = await provider.signIn();
    // The server asks for a new key at most once in a while, so that unknown keys cause no flood of requests.
    let second = await sendAs(card, { token });
    while (second.status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      second = await sendAs(card, { token });
    }

    const caller = { user: `jwt:${provider.issuer}#${CLIENT.id}`, role: "approve" };
    for (const response of [first, second]) {
      const { capabilities } = await response.json();
      expect(capabilities.extensions[1].params.caller).toMatchObject(caller);
    }
    return "held: issuer and subject are the user, a group is the role, and a new key needs no restart";
  });
});
