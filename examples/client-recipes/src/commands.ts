import process from "node:process";
import { connect, isText } from "@dt/client";

const agent = await connect(process.argv[2] ?? "http://127.0.0.1:41242");
for (const command of await agent.commands()) {
  console.log(`/${command.name}: ${command.description}`);
}
const run = await agent.run(["help"]);
if (run.status === "FAILED_TO_START") console.error(run.message);
for await (const event of run.events()) {
  if (isText(event)) console.log(event.text);
}
agent.close();
