import type { CardAnswer, SetupFault } from "./setup-fault.js";

// Imports no code: what it shared with the rest would be split off from that, and be larger.

/** One sentence: why an agent cannot be used as asked, and what to do. Pure. */
export function explainSetup(fault: SetupFault, cause?: unknown): string {
  switch (fault.type) {
    case "option":
      return explainOption(fault);
    case "name":
      return explainName(fault.name, fault.known, fault.prefix);
    case "silent":
      return `nothing answered at ${fault.url} within ${fault.waitedMs / 1_000} s; is it an A2A agent? Correct the port, look at the agent's log, or pass a larger \`timeoutMs\` to connect()`;
    case "client-name":
      return "clientName has a line break or another control character";
    case "address":
      return explainAddress(fault.url);
    case "unreachable":
      return explainUnreachable(fault.url, cause);
    case "answer":
      return fault.status < 400 ? explainContent(fault) : explainStatus(fault);
    case "extension":
      return `${fault.why}; use an agent and a @dt/client of the same version, or name the agent's URI in \`uris\``;
    case "interface": {
      const advice = `; it speaks ${fault.offered}: leave out \`version\` to use that`;
      return `the agent offers no JSON-RPC interface for A2A ${fault.wanted} in its card${fault.offered === "" ? "" : advice}`;
    }
    case "listed-address":
      return `the agent's card names ${fault.listed}, which is no address; correct the card`;
    case "secrecy":
      return `the agent's card leads from ${fault.url} to ${fault.endpoint}, where your token could be read on the way; correct the card, or use keepsOrigin: true`;
    case "no-socket":
      return 'the agent offers no WebSocket in its card; use transport: "sse"';
    case "no-web-socket":
      return 'this platform has no WebSocket: pass one as `WebSocket`, such as that of the package ws, or use transport: "sse"';
    case "refused":
      return fault.why;
    case "socket":
      return `${fault.why}; use transport: "sse" where sockets are blocked`;
  }
}

function explainOption({ name, given, known }: SetupFault & { type: "option" }): string {
  const kinds = known.flatMap((kind) => wantedKinds[kind] ?? []);
  if (kinds.length > 0) {
    return `${name}: expected ${kinds.join(" or ")}, not ${kindOf(given)}; correct it, or leave it out`;
  }
  const values = known.map((value) => `"${value}"`).join(", ");
  return `${name}: ${JSON.stringify(given)} is not known; use one of ${values}, or leave it out`;
}

const wantedKinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number from 0 on",
  object: "an object",
  function: "a function",
  boolean: "true or false",
};

// Never the value itself, which may be a secret; a number that was to be one is none.
function kindOf(given: unknown): string {
  if (given === null) return "null";
  if (typeof given === "number" && !(given >= 0)) return String(given);
  if (Array.isArray(given)) return "a list";
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
}

function explainAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.username) {
    // The address itself is not told: it holds a password.
    return "the address has a user name or password in it, which fetch does not send; pass `token` or `headers` to connect() instead";
  }
  const other = /^(ws|http)(s?):\/\//.exec(url);
  if (other?.[1] === "ws") {
    const wanted = url.replace(/^ws/, "http").replace(/\/ws\/?$/, "/");
    return `${url} is the address of a WebSocket; give the agent's own, such as ${wanted}: its card says where the WebSocket is, and transport: "websocket" uses it`;
  }
  if (parsed !== undefined && url.includes("://")) {
    return `${url} is not an address of an agent, which begins with http:// or https://`;
  }
  const isHost = /^(localhost|\w[\w-]*[.:][\w.:-]+)(\/|$)/.test(url);
  const guess = isHost ? `http://${url}` : "http://127.0.0.1:41242";
  return `${url === "" ? "an empty text" : url} is not an address; try ${guess}`;
}

const untrusted = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_UNTRUSTED",
];
const silent = [
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
];
const closed = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

function explainUnreachable(url: string, reason: unknown): string {
  const { code, name, message } = deepestOf(reason);
  const { host, hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  if (untrusted.includes(code)) {
    return `the certificate of ${host} is signed by nobody that this program trusts (${code}); start it with NODE_EXTRA_CA_CERTS=<file with the certificate>, or pass a \`fetch\` that trusts it`;
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return `the certificate of ${host} is not valid today (${code}); renew it, or correct the clock`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `the certificate of ${host} is for another name; use a name that it has: ${message}`;
  }
  if (isSecure && (code === "EPROTO" || code.startsWith("ERR_SSL"))) {
    return `${host} does not answer with TLS (${code}); if the agent is not encrypted, use ${url.replace("https:", "http:")}`;
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `the name ${hostname} cannot be found; correct it in ${url}, or check the network`;
  }
  if (silent.includes(code)) {
    return `${host} did not answer in time (${code}); check the address, and what lies between: network, firewall, VPN`;
  }
  if (closed.includes(code)) {
    const instead = isSecure ? "http:" : "https:";
    return `${host} closed the connection without an answer; if the agent ${isSecure ? "is not" : "is"} encrypted, use ${url.replace(protocol, instead)}, else look at its log`;
  }
  // Node 24 tells it by name alone.
  if (code.startsWith("HPE_") || name === "HTTPParserError") {
    return `what answers at ${host} is no HTTP server; correct the port in ${url}`;
  }
  const asked = `no agent answers at ${url}; is it running?`;
  if (code === "ECONNREFUSED") return `${asked} Nothing listens on that port`;
  if (message === "bad port") return `${asked} fetch never asks port ${port}: choose another one`;
  if (code !== "") return `${asked} (${code}: ${message})`;
  if (/header|invalid/i.test(message)) {
    return `the request cannot be made (${message}); correct \`headers\` or what else you pass to connect()`;
  }
  // A page is not told why, lest it spy on its user's network.
  return "document" in globalThis
    ? `${asked} If it is: it must allow the origin ${globalThis.location?.origin} (DT_ALLOWED_ORIGINS of dt-server), and have a certificate that the browser trusts where this page is served over https`
    : asked;
}

/** What Node's fetch hides behind "fetch failed". */
function deepestOf(reason: unknown): Record<"code" | "name" | "message", string> {
  const cause = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason;
  if (!(cause instanceof Error)) return { code: "", name: "", message: "" };
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return { code, name: cause.name, message: cause.message };
}

function explainContent({ from, text }: CardAnswer): string {
  const isPage = /^\s*</.test(text);
  const what = isPage ? "is a web page and" : "is text that";
  const advice = isPage
    ? "correct the address, or look whether a login page or a proxy stands before the agent"
    : "is it an A2A agent?";
  return `${from} ${what} is not an agent card; ${advice}`;
}

function explainStatus({ url, from, status, text, hasCredentials }: CardAnswer): string {
  const said = saidIn(text);
  const answered = `${from} answered ${status}${said === "" ? "" : ` (${said})`}`;
  if (status === 401) {
    const advice = "pass a token that it accepts as `token` to connect()";
    return hasCredentials
      ? `${answered}: the agent does not accept what you showed it; ${advice}`
      : `${answered}: the agent does not know you; ${advice}`;
  }
  if (status === 403) {
    return `${answered}: the agent does not let you in; ask it by a name and from an origin that it allows, or pass a token that it accepts as \`token\` to connect()`;
  }
  if (status === 404 || status === 410) {
    return `${answered}; is it an A2A agent? Give the address below which it has its card, often with a path`;
  }
  if (status === 407) return `${answered}: a proxy wants to know you; set it up for this program`;
  if (status === 408 || status === 429) return `${answered}: the agent is busy; try again later`;
  if (status >= 500) {
    const isProxy = status >= 502 && status <= 504;
    return isProxy
      ? `${answered}: the agent is not ready, or not running behind its proxy; start it, or try again later`
      : `${answered}: the agent failed; look at its log, or try again later`;
  }
  if (status === 400 && url.startsWith("http:") && /https/i.test(text)) {
    return `${answered}: the agent is encrypted; use ${url.replace("http:", "https:")}`;
  }
  return `${answered}; is it an A2A agent?`;
}

const MAX_SAID = 200;

/** The sentence of a JSON answer that refuses; nothing of a page. */
function saidIn(text: string): string {
  try {
    const { error, message } = JSON.parse(text);
    const said: unknown = error?.message ?? error ?? message;
    return typeof said === "string" ? said.slice(0, MAX_SAID) : "";
  } catch {
    return "";
  }
}

/** What an option that nobody reads may have been meant to be. */
export function explainName(name: string, known: readonly string[], prefix: string): string {
  const [nearest] = [...known].sort((one, other) => distance(name, one) - distance(name, other));
  return `no option ${prefix}${name}; is it ${prefix}${nearest}?`;
}

/** How many letters have to change, whatever their case. */
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
