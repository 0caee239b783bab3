// Ada and Bob share a session. Start an agent with `npm start` in the repository, then run `npm start` here.
import process from "node:process";
import { sharedSession } from "./shared-session.js";

const [url = "http://127.0.0.1:41242", workspacePath = process.cwd()] = process.argv.slice(2);
await sharedSession(url, workspacePath, (line) => console.log(line));
