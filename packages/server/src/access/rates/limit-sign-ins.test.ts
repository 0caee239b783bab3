import type { IncomingMessage } from "node:http";
import { type Caller, ProtocolError } from "@dt/schema";
import { expect, test } from "vitest";
import { limitSignIns } from "./limit-sign-ins.js";
import { createRateLimits } from "./rate-limits.js";

const ada: Caller = { user: "ada", name: "Ada", role: "admin" };

function openGuard({ maxRequestsPerMinute = 3 } = {}) {
  const limits = {
    maxRequestsPerMinute,
    maxPromptsPerMinute: 9,
    maxFailedSignInsPerMinute: 2,
  };
  const looked: (string | undefined)[] = [];
  const valid = new Set(["ada", "other"]);
  const findToken = ({ headers }: IncomingMessage) => headers.authorization;
  const guard = limitSignIns(
    async (request) => {
      const token = findToken(request);
      looked.push(token);
      if (token !== undefined && valid.has(token)) return ada;
      throw new ProtocolError(token === "eve" ? "forbidden" : "unauthenticated", "no");
    },
    { rates: createRateLimits({ limits }), addressOf: () => "192.0.2.7", findToken },
  );
  const send = async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: token };
    return await guard({ headers } as IncomingMessage).then(
      ({ user }) => user,
      (reason: { code: string }) => reason.code,
    );
  };
  return { send, looked, valid };
}

test("after too many invalid tokens, an address is refused before its token is checked [SRV-19]", async () => {
  const { send, looked } = openGuard();

  const codes = [await send("x"), await send("y"), await send("z"), await send("w")];

  expect(codes).toEqual(["unauthenticated", "unauthenticated", "rate-limited", "rate-limited"]);
  expect(looked).toEqual(["x", "y", "z"]);
});

test("a token that was valid before still works at an address with failed sign-ins [SRV-19]", async () => {
  const { send, valid } = openGuard();
  await send("ada");
  for (const token of ["x", "y", "z"]) await send(token);

  expect([await send("ada"), await send("other")]).toEqual(["ada", "rate-limited"]);
  valid.delete("ada");
  expect([await send("ada"), await send("ada")]).toEqual(["rate-limited", "rate-limited"]);
});

test("requests without a token and forbidden requests are counted for their address [SRV-19]", async () => {
  const { send } = openGuard();

  const codes = [await send(), await send("eve"), await send(), await send()];

  expect(codes).toEqual(["unauthenticated", "forbidden", "unauthenticated", "rate-limited"]);
  expect(await send("ada")).toBe("ada");
});

test("the valid token that was used last is remembered longest [SRV-19]", async () => {
  const { send, valid } = openGuard({ maxRequestsPerMinute: 100_000 });
  const others = Array.from({ length: 4_095 }, (_, index) => `token ${index}`);
  for (const token of others) valid.add(token);

  for (const token of ["ada", "other", "ada", ...others]) await send(token);
  for (const token of ["x", "y", "z"]) await send(token);

  expect([await send("ada"), await send("other")]).toEqual(["ada", "rate-limited"]);
});
