// Lets an agent write a file, and changes the proposed content to upper case before it is written. Start an
// agent with `npm start` in the repository, then run `npm start` here.
import process from "node:process";
import { editBeforeApproving } from "./edit-before-approving.js";

const [url = "http://127.0.0.1:41242", workspacePath = process.cwd()] = process.argv.slice(2);
const PROMPT = "write greeting.txt: hello";
const state = await editBeforeApproving(
  url,
  { workspacePath, prompt: PROMPT },
  async (proposed, name) => {
    const edited = proposed.toUpperCase();
    console.log(`${name}: ${proposed.trim()} -> ${edited.trim()}`);
    return edited;
  },
);
console.log(state);
process.exitCode = state === "completed" ? 0 : 1;
