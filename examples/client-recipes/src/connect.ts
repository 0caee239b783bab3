import process from "node:process";
import { connect } from "@dt/client";

const url = process.argv[2] ?? "http://127.0.0.1:41242";
const agent = await connect(url, {
  clientName: "my-plugin",
  reconnect: { maxMs: 5_000 },
  signal: AbortSignal.timeout(10_000),
});
agent.onConnectionChange((state) => console.error(state.status));
console.log(`${agent.card.name}: A2A ${agent.version} over ${agent.transport}`);
agent.close();
