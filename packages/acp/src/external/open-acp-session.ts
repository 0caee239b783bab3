import {
  type InitializeRequest,
  type InitializeResponse,
  type LoadSessionRequest,
  methods,
  type NewSessionRequest,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { ConnectAgentOptions, ExternalSession, Part, StopSignal } from "@dt/schema";
import {
  type AgentOffer,
  advanceAgentOffer,
  describeModeChange,
  EMPTY_OFFER,
  openOffer,
} from "./advance-offer.js";
import type { AgentLink } from "./agent-link.js";
import type { AcpTimeouts } from "./create-acp-agent.js";
import { toPromptBlocks } from "./prompt-blocks.js";
import { objectIn, textIn } from "./read-json.js";
import { readAcpUpdate } from "./read-update.js";
import { readTurnEnd } from "./turn-end.js";
import { waitForReply } from "./wait-for-reply.js";

/** Options of {@link openAcpSession}. */
export interface AcpSessionOptions extends ConnectAgentOptions {
  readonly link: AgentLink;
  readonly timeouts: AcpTimeouts;
  readonly authMethods: readonly string[];
}

/** Introduces dt to the agent, and opens a new session or loads an earlier one. */
export async function openAcpSession(options: AcpSessionOptions): Promise<ExternalSession> {
  const { link, timeouts, signal, host } = options;
  const initializing = link.agent.request(methods.agent.initialize, HELLO);
  const initialized = await waitForReply(initializing, {
    requestName: "initialize",
    timeoutMs: timeouts.initialize,
    signal,
  });
  checkVersion(initialized);
  // Some agents describe their commands before they reply to the request that opens the session. All other
  // early updates are dropped, because they are the history of a loaded session, which our log has already.
  const early: unknown[] = [];
  link.onUpdate(async (params) => {
    if (isOfferUpdate(params) && early.length < MAX_EARLY) early.push(params);
  });
  const opened = await openOrLoad(initialized, options);
  const isOwn = (params: unknown) => textIn(params, "sessionId") === opened.id;
  let offer = early
    .filter(isOwn)
    .reduce<AgentOffer>(
      (known, params) => advanceAgentOffer(known, objectIn(params, "update")),
      openOffer(opened.response),
    );

  // Gemini CLI sends the history of a loaded session after its response. Our log has that history already.
  let isReplay = opened.isContinued;
  let historySize = 0;
  link.onUpdate(async (params) => {
    if (!isOwn(params)) return;
    const update = objectIn(params, "update");
    const before = offer;
    offer = advanceAgentOffer(offer, update);
    if (offer !== before) {
      const notice = describeModeChange(before, offer);
      await host.update({ type: "offer", ...(notice !== undefined && { notice }) });
    }
    if (isReplay) {
      historySize += 1;
      return;
    }
    for (const each of readAcpUpdate(update)) await host.update(each);
  });

  if (opened.isContinued) await skipHistory(() => historySize, options);

  const choose = async (requestName: string, reply: Promise<unknown>): Promise<unknown> =>
    await link.orEnd(
      waitForReply(reply, { requestName, timeoutMs: timeouts.choose, signal: NEVER_STOPPED }),
    );

  return {
    id: opened.id,
    isContinued: opened.isContinued,
    offer: () => offer,
    prompt(parts, stop) {
      isReplay = false;
      return runPrompt({ parts, stop, initialized, sessionId: opened.id }, link);
    },
    async selectMode(modeId) {
      await choose("the choice of a mode", selectMode(modeId, offer, opened.id, link));
      offer = { ...offer, modeId };
    },
    async selectModel(modelId) {
      await choose("the choice of a model", selectModel(modelId, offer, opened.id, link));
      offer = { ...offer, modelId };
    },
  };
}

/** Maximum number of updates that are kept while the session is opened. */
const MAX_EARLY = 64;

function isOfferUpdate(params: unknown): boolean {
  const update = objectIn(params, "update");
  return advanceAgentOffer(EMPTY_OFFER, update) !== EMPTY_OFFER;
}

const HELLO: InitializeRequest = {
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: "dt", title: "dt", version: "0.1.0" },
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
};

const NEVER_STOPPED: StopSignal = {
  aborted: false,
  addEventListener() {},
  removeEventListener() {},
};

function checkVersion({ protocolVersion }: InitializeResponse): void {
  if (protocolVersion === PROTOCOL_VERSION) return;
  throw new Error(
    `it speaks version ${protocolVersion} of the Agent Client Protocol, and dt speaks version ${PROTOCOL_VERSION}; install an agent that speaks version ${PROTOCOL_VERSION}`,
  );
}

interface OpenedExternalSession {
  readonly id: string;
  readonly isContinued: boolean;
  readonly response: unknown;
}

/** Loads the earlier session if the agent can; else opens a new one. */
async function openOrLoad(
  initialized: InitializeResponse,
  options: AcpSessionOptions,
): Promise<OpenedExternalSession> {
  const { sessionId, signal } = options;
  if (sessionId !== undefined && initialized.agentCapabilities?.loadSession === true) {
    try {
      return await loadSession(sessionId, options);
    } catch (reason) {
      // The agent may have lost the session, for example with its data directory.
      if (signal.aborted || !(reason instanceof RequestError)) throw reason;
    }
  }
  return await signIn(initialized, options, () => createSession(options));
}

/**
 * Loads a session. The agent sends the session's history again. That history is ignored, because our log has it
 * already.
 */
async function loadSession(
  sessionId: string,
  options: AcpSessionOptions,
): Promise<OpenedExternalSession> {
  const { link, workspacePath, timeouts, signal } = options;
  const request: LoadSessionRequest = { sessionId, cwd: workspacePath, mcpServers: [] };
  const loading = link.agent.request(methods.agent.session.load, request);
  const response = await waitForReply(loading, {
    requestName: "session/load",
    timeoutMs: timeouts.open,
    signal,
  });
  return { id: sessionId, isContinued: true, response };
}

/** Maximum number of round trips until the history of a loaded session counts as complete. */
const MAX_ROUNDS = 100;
const ROUND_MS = 5_000;

/**
 * Waits until a whole round trip to the agent brings no more history. A round trip is the request of a method
 * that no agent knows, so the agent refuses it at once.
 */
async function skipHistory(
  received: () => number,
  { link, signal }: AcpSessionOptions,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = received();
    const asking = link.agent.request("_dt/ping", {});
    const wait = { requestName: "_dt/ping", timeoutMs: ROUND_MS, signal };
    try {
      await waitForReply(asking, wait);
    } catch (reason) {
      // An agent that does not answer is not asked again.
      if (!(reason instanceof RequestError)) return;
    }
    if (received() === before) return;
  }
}

async function createSession(options: AcpSessionOptions): Promise<OpenedExternalSession> {
  const { link, workspacePath, timeouts, signal } = options;
  const request: NewSessionRequest = { cwd: workspacePath, mcpServers: [] };
  const creating = link.agent.request(methods.agent.session.new, request);
  const response = await waitForReply(creating, {
    requestName: "session/new",
    timeoutMs: timeouts.open,
    signal,
  });
  return { id: response.sessionId, isContinued: false, response };
}

/** The protocol's error code of an agent that demands a login first. */
const AUTH_REQUIRED = -32000;

/** Opens a session. If the agent demands a login, signs in without a person and then opens the session. */
async function signIn(
  { authMethods: offered }: InitializeResponse,
  options: AcpSessionOptions,
  open: () => Promise<OpenedExternalSession>,
): Promise<OpenedExternalSession> {
  try {
    return await open();
  } catch (reason) {
    if (!(reason instanceof RequestError) || reason.code !== AUTH_REQUIRED) throw reason;
    for (const methodId of options.authMethods) {
      const isOffered = offered?.some(({ id }) => id === methodId) === true;
      if (isOffered && (await authenticate(methodId, options))) return await open();
    }
    const hint = "start the agent by itself and sign in there, or set the variable with its key";
    throw new Error(`it needs a login; ${hint} (${reason.message})`);
  }
}

/** Signs in by one method. Returns false if the agent refuses, for example because a variable is not set. */
async function authenticate(
  methodId: string,
  { link, timeouts, signal }: AcpSessionOptions,
): Promise<boolean> {
  const request = link.agent.request(methods.agent.authenticate, { methodId });
  try {
    await waitForReply(request, { requestName: "authenticate", timeoutMs: timeouts.open, signal });
    return true;
  } catch (reason) {
    if (reason instanceof RequestError) return false;
    throw reason;
  }
}

interface PromptToRun {
  readonly parts: readonly Part[];
  readonly stop: StopSignal;
  readonly initialized: InitializeResponse;
  readonly sessionId: string;
}

/** Runs a turn. If the signal aborts, tells the agent to cancel, and still waits for the end of the turn. */
async function runPrompt(
  { parts, stop, initialized, sessionId }: PromptToRun,
  link: AgentLink,
): ReturnType<ExternalSession["prompt"]> {
  const {
    image = false,
    audio = false,
    embeddedContext = false,
  } = initialized.agentCapabilities?.promptCapabilities ?? {};
  const prompt = toPromptBlocks(parts, { image, audio, embeddedContext });
  const cancel = () => {
    // If the connection is lost, the reply below fails too.
    link.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
  };
  stop.addEventListener("abort", cancel);
  try {
    const reply = link.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    if (stop.aborted) cancel();
    return readTurnEnd(await link.orEnd(reply));
  } catch (reason) {
    throw await link.explain(reason);
  } finally {
    stop.removeEventListener("abort", cancel);
  }
}

async function selectMode(
  modeId: string,
  { modeOption }: AgentOffer,
  sessionId: string,
  { agent }: AgentLink,
): Promise<unknown> {
  if (modeOption === undefined) {
    return await agent.request(methods.agent.session.setMode, { sessionId, modeId });
  }
  const choice = { sessionId, configId: modeOption, value: modeId };
  return await agent.request(methods.agent.session.setConfigOption, choice);
}

async function selectModel(
  modelId: string,
  { modelOption }: AgentOffer,
  sessionId: string,
  { agent }: AgentLink,
): Promise<unknown> {
  // Older agents have no session options. They choose their model with `session/set_model`.
  if (modelOption === undefined)
    return await agent.request<unknown>("session/set_model", { sessionId, modelId });
  const choice = { sessionId, configId: modelOption, value: modelId };
  return await agent.request(methods.agent.session.setConfigOption, choice);
}
