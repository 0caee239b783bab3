import { once } from "node:events";
import { WebSocket } from "ws";
import { startChild } from "../child.mjs";
import { median, ms, times } from "../figures.mjs";
import { startTask } from "../rpc.mjs";

const CLIENTS = 100;
const EVENTS = 1_000;
const ROUNDS = 5;

/** Time to send a task's events to many WebSockets, compared with sending the same bytes with ws alone. */
export const broadcastRow = ({ events, clients, limit }) => ({
  name: `WebSocket broadcast of ${events.toLocaleString("en")} events to ${clients.toLocaleString("en")} clients`,
  budget: `≤ ${limit} × raw ws`,
  limit,
  async run(own) {
    const ours = own(await startChild("agent-server"));
    const raw = own(await startChild("raw-ws"));
    const frames = [];
    await broadcastOurs(ours, { events, clients: 1 }, frames);
    await broadcastOurs(ours, { events, clients });
    await broadcastRaw(raw, frames, clients);
    const took = { ours: [], raw: [] };
    for (let index = 0; index < ROUNDS; index += 1) {
      took.raw.push(await broadcastRaw(raw, frames, clients));
      took.ours.push(await broadcastOurs(ours, { events, clients }));
    }
    const [oursMs, rawMs] = [median(took.ours), median(took.raw)];
    const ratio = oursMs / rawMs;
    return { measured: `${times(ratio)} (${ms(oursMs)} against ${ms(rawMs)})`, value: ratio };
  },
});

/** Time to send a live session's events to many sockets in the guide dialect, compared with ws alone. */
export const attachedRow = {
  name: "a live session's 1,000 events to 100 attached clients",
  budget: "≤ 1.3 × raw ws",
  limit: 1.3,
  async run(own) {
    const live = own(await startChild("live-server"));
    const raw = own(await startChild("raw-ws"));
    const frames = [];
    await broadcastLive(live, 1, frames);
    await broadcastLive(live, CLIENTS);
    await broadcastRaw(raw, frames, CLIENTS);
    const took = { live: [], raw: [] };
    for (let index = 0; index < ROUNDS; index += 1) {
      took.raw.push(await broadcastRaw(raw, frames, CLIENTS));
      took.live.push(await broadcastLive(live, CLIENTS));
    }
    const [liveMs, rawMs] = [median(took.live), median(took.raw)];
    const ratio = liveMs / rawMs;
    return { measured: `${times(ratio)} (${ms(liveMs)} against ${ms(rawMs)})`, value: ratio };
  },
};

let round = 0;

/** Measures the time from the start of a turn until every client has received all events of the turn. */
async function broadcastLive(live, clients, frames = []) {
  const sockets = await openSockets(`${live.url.replace("http", "ws")}ws`, clients, []);
  // A new client first receives the history, so the clock starts after all clients have it. Each round has
  // its own begin and end texts, because the history contains the texts of earlier rounds.
  round += 1;
  const [begin, end] = [`begin ${round}.`, `end ${round}.`];
  const joined = sockets.map((socket) => untilFrame(socket, (data) => data.includes(begin)));
  await live.ask("say", begin);
  await Promise.all(joined);
  const ended = sockets.map((socket) => untilFrame(socket, (data) => data.includes(end)));
  sockets[0].on("message", (data) => frames.push(data.toString()));

  const startedAt = performance.now();
  await live.ask("burst", { count: EVENTS, end });
  await Promise.all(ended);
  const elapsed = performance.now() - startedAt;

  for (const socket of sockets) socket.terminate();
  return elapsed;
}

/** Measures the time from the release of a task until every subscriber has received all its events. */
async function broadcastOurs(ours, { events, clients }, frames = []) {
  const id = await startTask(ours, `hold ${events}`);
  const url = `${ours.url.replace("http", "ws")}ws`;
  const sockets = await openSockets(url, clients, ["dt.a2a.v1"]);
  const subscribed = sockets.map((socket) => once(socket, "message"));
  const request = { jsonrpc: "2.0", id: 1, method: "tasks/resubscribe", params: { id } };
  for (const socket of sockets) socket.send(JSON.stringify(request));
  await Promise.all(subscribed);
  const ended = sockets.map((socket) => untilFrame(socket, (data) => data.includes("$/end")));
  sockets[0].on("message", (data) => frames.push(data.toString()));

  const startedAt = performance.now();
  await ours.ask("release");
  await Promise.all(ended);
  const elapsed = performance.now() - startedAt;

  for (const socket of sockets) socket.terminate();
  return elapsed;
}

async function broadcastRaw(raw, frames, clients) {
  const sockets = await openSockets(raw.url, clients, []);
  const ended = sockets.map((socket) => {
    let left = frames.length;
    return untilFrame(socket, () => {
      left -= 1;
      return left === 0;
    });
  });

  const startedAt = performance.now();
  await raw.ask("broadcast", frames);
  await Promise.all(ended);
  const elapsed = performance.now() - startedAt;

  for (const socket of sockets) socket.terminate();
  return elapsed;
}

async function openSockets(url, count, protocols) {
  const sockets = Array.from({ length: count }, () => new WebSocket(url, protocols));
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  return sockets;
}

function untilFrame(socket, isLast) {
  return new Promise((resolve, reject) => {
    socket.on("message", (data) => isLast(data) && resolve());
    socket.on("close", (code) => reject(new Error(`the socket closed with ${code}`)));
  });
}
