import process from "node:process";
import { connect } from "@dt/client";

const [url = "http://127.0.0.1:41242", receiver = "https://hooks.example/dt"] =
  process.argv.slice(2);
const agent = await connect(url);
const task = await agent.startTask({
  workspacePath: process.cwd(),
  prompt: "write report.txt: done",
});
const config = await task.push.set({
  url: receiver,
  authentication: { scheme: "HMAC", credentials: "a shared secret" },
});
console.log(`${config.url} receives pushes about the task; this client may disconnect`);
agent.close();
