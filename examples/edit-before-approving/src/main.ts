// Asks an agent to write a file and writes it louder. Start one with `npm start` in the repository,
// then here: npm start
import process from "node:process";
import { editBeforeApproving } from "./edit-before-approving.js";

const [url = "http://127.0.0.1:41242", workspacePath = process.cwd()] = process.argv.slice(2);
const prompt = "write greeting.txt: hello";
const state = await editBeforeApproving(url, { workspacePath, prompt }, async (proposed, name) => {
  const edited = proposed.toUpperCase();
  console.log(`${name}: ${proposed.trim()} -> ${edited.trim()}`);
  return edited;
});
console.log(state);
process.exitCode = state === "completed" ? 0 : 1;
