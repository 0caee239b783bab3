import type { CardAnswer, SetupFault } from "./setup-fault.js";

// This file is loaded on demand. It imports no code, because a bundler would put code that is also used
// elsewhere into the main chunk.

/** Returns one sentence that says why `connect` failed, and what to do. */
export function explainSetup(fault: SetupFault, cause?: unknown): string {
  switch (fault.type) {
    case "option":
      return explainOption(fault);
    case "name":
      return explainName(fault.name, fault.known, fault.prefix);
    case "silent":
      return `${fault.url} did not answer within ${fault.waitedMs / 1_000} s; check the port and the agent's log, or pass a larger \`timeoutMs\``;
    case "client-name":
      return "clientName has a control character, such as a line break; remove it";
    case "address":
      return explainAddress(fault.url);
    case "unreachable":
      return explainUnreachable(fault.url, cause);
    case "answer":
      return fault.status < 400 ? explainContent(fault) : explainStatus(fault);
    case "extension":
      return `${fault.why}; use an agent and a client of the same version, or pass the agent's URI in \`uris\``;
    case "interface": {
      const advice = `; leave out \`version\` to use ${fault.offered}`;
      return `the agent's card has no JSON-RPC interface for A2A ${fault.wanted}${fault.offered === "" ? "" : advice}`;
    }
    case "listed-address":
      return `the agent's card has ${fault.listed}, which is not an address; correct the card`;
    case "secrecy":
      return `the agent's card leads from ${fault.url} to ${fault.endpoint}, which does not encrypt your token; correct the card, or use keepsOrigin: true`;
    case "no-socket":
      return 'the agent\'s card has no WebSocket; use transport: "sse"';
    case "no-web-socket":
      return 'this platform has no WebSocket; pass one as `WebSocket`, such as that of the package ws, or use transport: "sse"';
    case "refused":
      return fault.why;
    case "socket":
      return `${fault.why}; use transport: "sse" if a proxy blocks WebSockets`;
  }
}

function explainOption({ name, given, known }: SetupFault & { type: "option" }): string {
  const kinds = known.flatMap((kind) => KIND_NAMES[kind] ?? []);
  if (kinds.length > 0) {
    return `${name}: expected ${kinds.join(" or ")}, not ${kindOf(given)}`;
  }
  const values = known.map((value) => `"${value}"`).join(", ");
  return `${name}: ${JSON.stringify(given)} is unknown; use one of ${values}`;
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number from 0 on",
  object: "an object",
  function: "a function",
  boolean: "true or false",
};

// Describes a value by its type and not by its content, because a string may be a secret.
function kindOf(given: unknown): string {
  if (given === null) return "null";
  if (typeof given === "number" && !(given >= 0)) return String(given);
  if (Array.isArray(given)) return "a list";
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
}

function explainAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.username) {
    // The message omits the address, because the address contains a password.
    return "the address has a user name or password, which fetch does not send; pass `token` or `headers`";
  }
  const other = /^(ws|http)(s?):\/\//.exec(url);
  if (other?.[1] === "ws") {
    const wanted = url.replace(/^ws/, "http").replace(/\/ws\/?$/, "/");
    return `${url} is the address of a WebSocket; use the agent's, such as ${wanted}, with transport: "websocket"`;
  }
  if (parsed !== undefined && url.includes("://")) {
    return `${url} is not the address of an agent; use one that begins with http:// or https://`;
  }
  const isHost = /^(localhost|\w[\w-]*[.:][\w.:-]+)(\/|$)/.test(url);
  const guess = isHost ? `http://${url}` : "http://127.0.0.1:41242";
  return `${url === "" ? "an empty text" : url} is not an address; try ${guess}`;
}

const UNTRUSTED_CODES = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_UNTRUSTED",
];
const SILENT_CODES = [
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
];
const CLOSED_CODES = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

function explainUnreachable(url: string, reason: unknown): string {
  const { code, name, message } = deepestOf(reason);
  const { host, hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  if (UNTRUSTED_CODES.includes(code)) {
    return `the certificate of ${host} is not trusted (${code}); start this program with NODE_EXTRA_CA_CERTS=<certificate file>, or pass a \`fetch\` that trusts it`;
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `the certificate of ${host} is not valid today (${code}); renew it, or correct the clock`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `the certificate of ${host} is for another name; use one of its names: ${message}`;
  }
  if (isSecure && (code === "EPROTO" || code.startsWith("ERR_SSL"))) {
    return `${host} does not use TLS (${code}); if the agent is not encrypted, use ${url.replace("https:", "http:")}`;
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `the name ${hostname} cannot be found; correct it in ${url}, or check the network`;
  }
  if (SILENT_CODES.includes(code)) {
    return `${host} did not answer in time (${code}); check address, network, firewall and VPN`;
  }
  if (CLOSED_CODES.includes(code)) {
    const instead = isSecure ? "http:" : "https:";
    return `${host} closed the connection; if the agent ${isSecure ? "is not" : "is"} encrypted, use ${url.replace(protocol, instead)}, else read its log`;
  }
  // In Node 24 this error has a name and no code.
  if (code.startsWith("HPE_") || name === "HTTPParserError") {
    return `${host} is not an HTTP server; correct the port in ${url}`;
  }
  const noAnswer = `no agent answers at ${url}; is it running?`;
  if (code === "ECONNREFUSED") return `${noAnswer} Nothing listens on that port`;
  if (message === "bad port") return `${noAnswer} fetch blocks port ${port}; choose another one`;
  if (code !== "") return `${noAnswer} (${code}: ${message})`;
  if (/header|invalid/i.test(message)) {
    return `the request is invalid (${message}); correct \`headers\``;
  }
  // A browser hides the reason from a page, so the message lists the likely reasons.
  return "document" in globalThis
    ? `${noAnswer} If it is, it must allow the origin ${globalThis.location?.origin} (DT_ALLOWED_ORIGINS of dt-server), and, if this page uses https, have a certificate that the browser trusts`
    : noAnswer;
}

/** Finds the error behind Node's "fetch failed". */
function deepestOf(reason: unknown): Record<"code" | "name" | "message", string> {
  const cause = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
  if (!(cause instanceof Error)) return { code: "", name: "", message: "" };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return { code, name: cause.name, message: cause.message };
}

function explainContent({ from, text }: CardAnswer): string {
  const isPage = /^\s*</.test(text);
  const advice = isPage
    ? "correct the address, or check for a login page or a proxy"
    : "is it an A2A agent?";
  return `${from} is ${isPage ? "a web page" : "a text"}, not an agent card; ${advice}`;
}

function explainStatus({ url, from, status, text, hasCredentials }: CardAnswer): string {
  const said = findMessage(text);
  const answered = `${from} answered ${status}${said === "" ? "" : ` (${said})`}`;
  if (status === 401) {
    const why = hasCredentials ? "refused your credentials" : "requires authentication";
    return `${answered}: the agent ${why}; pass a valid \`token\``;
  }
  if (status === 403) {
    return `${answered}: the agent denied access; use a host name and an origin that it allows, or pass a valid \`token\``;
  }
  if (status === 404 || status === 410) {
    return `${answered}; is it an A2A agent? Its address may need a path`;
  }
  if (status === 407)
    return `${answered}: the proxy requires authentication; configure it for this program`;
  if (status === 408 || status === 429) return `${answered}: the agent is busy; try again later`;
  if (status >= 500) {
    const isProxy = status >= 502 && status <= 504;
    return isProxy
      ? `${answered}: the agent behind the proxy is not running or not ready; start it, or try again later`
      : `${answered}: the agent failed; read its log, or try again later`;
  }
  if (status === 400 && url.startsWith("http:") && /https/i.test(text)) {
    return `${answered}: the agent requires TLS; use ${url.replace("http:", "https:")}`;
  }
  return `${answered}; is it an A2A agent?`;
}

const MAX_MESSAGE_CHARACTERS = 200;

/** Finds the error message in a JSON response; "" if there is none. */
function findMessage(text: string): string {
  try {
    const { error, message } = JSON.parse(text);
    const said: unknown = error?.message ?? error ?? message;
    return typeof said === "string" ? said.slice(0, MAX_MESSAGE_CHARACTERS) : "";
  } catch {
    return "";
  }
}

/** Returns a sentence that names the option nearest to an unknown one. */
export function explainName(name: string, known: readonly string[], prefix: string): string {
  const [nearest] = [...known].sort((one, other) => distance(name, one) - distance(name, other));
  return `unknown option ${prefix}${name}; did you mean ${prefix}${nearest}?`;
}

/** Computes the edit distance of two names, without regard to case. */
function distance(one: string, other: string): number {
  let row = [...`${other} `].map((_, index) => index);
  for (const letter of one.toLowerCase()) {
    const [first = 0] = row;
    const next = [first + 1];
    for (const [index, wanted] of [...other.toLowerCase()].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[index], row[index + 1], row[index]];
      next.push(Math.min(left + 1, above + 1, corner + Number(letter !== wanted)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
