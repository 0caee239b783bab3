import { type AgentClient, connect, type TaskHandle } from "@dt/client";
import { createConversation } from "./conversation.js";
import { byId } from "./element.js";
import { type Device, loadDevice, saveDevice, suggestName } from "./join/device.js";
import { findRefusal } from "./join/find-refusal.js";
import { pair } from "./join/pair.js";
import { attempt, showFault } from "./show-fault.js";

/** Maximum number of listed tasks that are searched for the open task. */
const MAX_SEARCHED_TASKS = 50;

const pairForm = byId("pair") as HTMLFormElement;
const endpoint = new URL(".", location.href);

let agent: AgentClient | undefined;

const conversation = createConversation({
  async start() {
    throw new Error("this device has not joined a session yet; pair it first");
  },
  onError,
});

pairForm.onsubmit = (event) => {
  event.preventDefault();
  attempt(pairDevice);
};

byId("unpair").onclick = () => leave("this device has forgotten its token");

/** Reads the code after the `#` of the link, and removes it from the address and the history. */
function takeCode(): string {
  const code = decodeURIComponent(location.hash.slice(1));
  if (code !== "") history.replaceState(null, "", location.pathname);
  return code;
}

async function pairDevice(): Promise<void> {
  const fields = new FormData(pairForm);
  const device = await pair(new URL("join", endpoint), {
    code: String(fields.get("code") ?? ""),
    name: String(fields.get("name") ?? ""),
    earlierToken: loadDevice()?.token,
  });
  saveDevice(device);
  await join(device);
}

async function join({ token, name, role }: Device): Promise<void> {
  try {
    pairForm.hidden = true;
    agent?.close();
    conversation.leave();
    // This page can reach its own address, but perhaps not the one in the agent's card.
    const connected = await connect(endpoint, { token, keepsOrigin: true, dialect: "canonical" });
    agent = connected;
    byId("device").textContent = `${name} · ${role}`;
    byId("unpair").hidden = false;
    conversation.showConnection(connected);
    conversation.follow(await openTask(connected));
  } catch (reason) {
    onError(reason);
  }
}

/** Joins the open task of the session. The endpoint of a terminal always has one open task. */
async function openTask(client: AgentClient): Promise<TaskHandle> {
  const ended = ["completed", "failed", "canceled", "rejected"];
  let seen = 0;
  for await (const { taskId, state } of client.listTasks({ pageSize: MAX_SEARCHED_TASKS })) {
    if (!ended.includes(state)) return await client.openTask(taskId);
    seen += 1;
    if (seen === MAX_SEARCHED_TASKS) break;
  }
  throw new Error("there is no open session at this address");
}

/** Shows a fault. If the agent refuses the token, this device has to pair again. */
function onError(reason: unknown): void {
  const refusal = findRefusal(reason);
  if (refusal === undefined) showFault(reason);
  else
    leave(`this device is no longer paired: ${refusal}. Type /share in the terminal to pair again`);
}

/** Forgets the token, and asks the person for a new code. */
function leave(message: string): void {
  saveDevice(undefined);
  agent?.close();
  agent = undefined;
  conversation.leave();
  byId("device").textContent = "";
  byId("unpair").hidden = true;
  askForCode("");
  showFault(message);
}

function askForCode(code: string): void {
  const name = pairForm.elements.namedItem("name");
  const input = pairForm.elements.namedItem("code");
  if (name instanceof HTMLInputElement && name.value === "") {
    name.value = loadDevice()?.name ?? suggestName(navigator.userAgent);
  }
  if (input instanceof HTMLInputElement) input.value = code;
  pairForm.hidden = false;
}

function begin(): void {
  const code = takeCode();
  const device = loadDevice();
  if (code === "" && device !== undefined) void join(device);
  else askForCode(code);
}

// A link that is opened while the page is open changes only the part after the `#`.
addEventListener("hashchange", begin);
begin();
