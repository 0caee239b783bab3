import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JwtOptions } from "@dt/server";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** Audience of the tokens. */
export const AUDIENCE = "dt";

/** An identity provider on loopback. It serves its public key, which a test can replace, and signs tokens. */
export async function openProvider() {
  let keys = [await createKey("one")];
  let fetches = 0;
  const http = createServer((_request, response) => {
    fetches += 1;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    issuer,
    options: { jwksUrl: `${issuer}/keys`, issuer, audience: AUDIENCE } satisfies JwtOptions,
    fetches: () => fetches,
    async rotate(name: string) {
      keys = [await createKey(name)];
    },
    /** Signs a token with the current key. */
    async sign(claims: JWTPayload = {}, expiresIn: string | number = "5m") {
      const [key] = keys;
      if (key === undefined) throw new Error("there is no key");
      return await new SignJWT({ dt_role: "admin", ...claims })
        .setProtectedHeader({ alg: "ES256", kid: key.name })
        .setIssuer((claims.iss as string | undefined) ?? issuer)
        .setAudience((claims.aud as string | undefined) ?? AUDIENCE)
        .setSubject(claims.sub ?? "ada")
        .setExpirationTime(expiresIn)
        .sign(key.privateKey);
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

async function createKey(name: string) {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { name, privateKey, jwk: { ...(await exportJWK(publicKey)), kid: name, alg: "ES256" } };
}
