import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createNameResolver } from "./resolve-name.js";

/** Opens a name server on this machine that knows the given names. If `isSilent` is true, it never answers. */
async function openNameServer(names: Readonly<Record<string, string>>, isSilent = false) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    if (isSilent) return;
    const address = type === 1 ? names[name] : undefined;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // The flags 0x8180 mark an answer, and 0x8183 an answer that there is no such name.
    header.writeUInt16BE(Object.hasOwn(names, name) ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(address === undefined ? 0 : 1, 6);
    const answer =
      address === undefined
        ? Buffer.alloc(0)
        : Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    asked,
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.dispose]: () => socket.close(),
  };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += length + 1;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

test("a name is resolved by the name servers", async () => {
  using names = await openNameServer({ "hooks.example": "93.184.216.34" });
  const resolveName = createNameResolver({ servers: [names.server] });

  expect(await resolveName("hooks.example")).toEqual([{ address: "93.184.216.34", family: 4 }]);
});

test("resolving a name fails with a timeout if the name servers do not answer", async () => {
  using names = await openNameServer({}, true);
  const resolveName = createNameResolver({ servers: [names.server], timeoutMs: 50 });

  await expect(resolveName("dead.example")).rejects.toMatchObject({ code: "ETIMEOUT" });
});

test("a name server that does not answer is queried twice, each time with a timeout", async () => {
  using names = await openNameServer({}, true);
  const ended: string[] = [];
  const ask = (host: string, timeoutMs: number) =>
    createNameResolver({ servers: [names.server], timeoutMs })(host).catch(() => ended.push(host));

  void ask("patient.example", 600_000);
  await ask("impatient.example", 50);

  expect(ended).toEqual(["impatient.example"]);
  // There are two attempts for IPv4 and two for IPv6.
  expect(names.asked.filter((host) => host === "impatient.example")).toHaveLength(4);
});

test("the name localhost is resolved by the system", async () => {
  using names = await openNameServer({ localhost: "93.184.216.34" });
  const resolveName = createNameResolver({ servers: [names.server] });

  const hosts = ["localhost", "LOCALHOST"];
  const found = (await Promise.all(hosts.map(resolveName))).flat();

  expect(found.length).toBeGreaterThanOrEqual(hosts.length);
  expect(found.map(({ address }) => address)).toEqual(
    found.map(({ family }) => (family === 4 ? "127.0.0.1" : "::1")),
  );
  expect(names.asked).toEqual([]);
});
