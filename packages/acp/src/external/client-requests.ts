import {
  type ClientApp,
  type ClientRequestContext,
  client,
  methods,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { ExternalHost, ExternalHostReply, ExternalTerminal, TerminalEnd } from "@dt/schema";
import { choosePermission } from "./permission-outcome.js";
import { readAcpCall } from "./read-call.js";

/** Commands that an agent has started, by the ids that the agent got. */
type Terminals = Map<string, ExternalTerminal>;

/** Maximum number of commands whose output an agent has not released. */
const MAX_KEPT_TERMINALS = 64;

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Name of the agent, for messages. */
  readonly name: string;
  readonly host: ExternalHost;
  /** See {@link AcpAgentOptions.readsMissingAsEmpty}. */
  readonly readsMissingAsEmpty?: boolean | undefined;
}

/** Creates the client of an agent, which passes the agent's requests to the host. */
export function createClient({
  host,
  name,
  readsMissingAsEmpty = false,
}: ClientOptions): ClientApp {
  const terminals: Terminals = new Map();
  let started = 0;
  return client({ name: "dt" })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      const call = readAcpCall(params.toolCall);
      if (call === undefined) throw RequestError.invalidParams(undefined, "toolCall has no id");
      const verdict = await host.judge(call, signal);
      if (verdict === "allowed" && !params.options.some(({ kind }) => kind === "allow_once")) {
        const text = `${name} offers no way to allow this call only once, so it was refused`;
        await host.update({ type: "notice", level: "warn", text });
      }
      return { outcome: choosePermission(params.options, verdict) };
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params, signal }) => {
      const { path, line, limit } = params;
      const range = { ...(line != null && { line }), ...(limit != null && { limit }) };
      const reply = await host.readTextFile({ path, ...range }, signal);
      const isMissing = !reply.isDone && reply.fault === "not-found";
      return { content: isMissing && readsMissingAsEmpty ? "" : getValue(reply, path) };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params, signal }) => {
      const { path, content } = params;
      getValue(await host.writeTextFile({ path, content }, signal), path);
      return {};
    })
    .onRequest(methods.client.terminal.create, async ({ params, signal }) => {
      const { command, args = [], env = [], cwd, outputByteLimit } = params;
      if (terminals.size >= MAX_KEPT_TERMINALS) {
        throw RequestError.internalError(undefined, "too many terminals; release some first");
      }
      const variables = Object.fromEntries(env.map(({ name: key, value }) => [key, value]));
      const request = {
        command,
        args,
        variables,
        ...(cwd != null && { directory: cwd }),
        ...(outputByteLimit != null && { outputBytes: outputByteLimit }),
      };
      const terminal = getValue(await host.startTerminal(request, signal), command);
      started += 1;
      const terminalId = `terminal-${started}`;
      terminals.set(terminalId, terminal);
      return { terminalId };
    })
    .onRequest(methods.client.terminal.output, (context) => {
      const { text, isCut, end } = getTerminal(terminals, context).output();
      const exitStatus = end === undefined ? {} : { exitStatus: toExitStatus(end) };
      return { output: text, truncated: isCut, ...exitStatus };
    })
    .onRequest(methods.client.terminal.waitForExit, async (context) =>
      toExitStatus(await getTerminal(terminals, context).ended),
    )
    .onRequest(methods.client.terminal.kill, async (context) => {
      await getTerminal(terminals, context).kill();
      return {};
    })
    .onRequest(methods.client.terminal.release, async (context) => {
      const terminal = getTerminal(terminals, context);
      terminals.delete(context.params.terminalId);
      await terminal.kill();
      return {};
    });
}

function toExitStatus({ exitCode, endedBy }: TerminalEnd) {
  return { exitCode: exitCode ?? null, signal: endedBy ?? null };
}

function getTerminal(
  terminals: Terminals,
  { params }: Pick<ClientRequestContext<{ terminalId: string }>, "params">,
): ExternalTerminal {
  const terminal = terminals.get(params.terminalId);
  if (terminal === undefined) throw RequestError.resourceNotFound(params.terminalId);
  return terminal;
}

/** Returns the value of a reply; throws the error of the protocol if there is none. */
function getValue<TValue>(reply: ExternalHostReply<TValue>, resource: string): TValue {
  if (reply.isDone) return reply.value;
  // The protocol has no error code for a refusal, so the code of an internal error is sent.
  if (reply.fault === "not-found") throw RequestError.resourceNotFound(resource);
  throw new RequestError(-32603, reply.message);
}
