// Lets an agent write a file. Start an agent with `npm start` in the repository, then run `npm start` here.
import process from "node:process";
import { approveATool } from "./client.js";

const [url = "http://127.0.0.1:41242", workspacePath = process.cwd()] = process.argv.slice(2);
await approveATool(url, workspacePath, (text) => console.log(text));
