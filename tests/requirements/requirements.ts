/** A requirement of the source documents or of our design. Tests cite it by its id: `[RFC-11]`. */
export interface Requirement {
  readonly id: string;
  /** The document that states the requirement. */
  readonly source: string;
  readonly says: string;
}

/** All requirements, in the order of the documents. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "RFC-01",
    source: "development-tool extension RFC",
    says: "A client sends a prompt with `message/stream`. The reply starts with the submitted task, its id and its context id. Status updates follow.",
  },
  {
    id: "RFC-02",
    source: "development-tool extension RFC",
    says: "A turn's stream ends with a status update whose `final` is true, in a terminal state or in `input-required`.",
  },
  {
    id: "RFC-03",
    source: "development-tool extension RFC",
    says: "A push config is sent with the first message or set later. The agent then calls its receiver when updates are ready. Get, list and delete work too.",
  },
  {
    id: "RFC-04",
    source: "development-tool extension RFC",
    says: "The agent card declares the extension with its URI, a description and an explicit `required`.",
  },
  {
    id: "RFC-05",
    source: "development-tool extension RFC",
    says: "The agent reads the version from the URI and compares it by Semantic Versioning. An incompatible version is refused with an error that names both versions.",
  },
  {
    id: "RFC-06",
    source: "development-tool extension RFC",
    says: "All data that we put into metadata is keyed by a URI that the card declares.",
  },
  {
    id: "RFC-07",
    source: "development-tool extension RFC",
    says: "The first message of a session carries AgentSettings. The agent works in their absolute `workspace_path`, and applies the other fields, such as allowed tools and MCP servers.",
  },
  {
    id: "RFC-08",
    source: "development-tool extension RFC",
    says: "Missing or bad settings get an error that names the field, and no incomplete task is left behind.",
  },
  {
    id: "RFC-09",
    source: "development-tool extension RFC",
    says: "Text is a TextPart; tool calls and thoughts are DataParts in the RFC's schemas.",
  },
  {
    id: "RFC-10",
    source: "development-tool extension RFC",
    says: "Every tool-call update carries the whole ToolCall.",
  },
  {
    id: "RFC-11",
    source: "development-tool extension RFC",
    says: "A tool call moves from PENDING to EXECUTING to SUCCEEDED, FAILED or CANCELLED, or from PENDING to CANCELLED or FAILED, and in no other order.",
  },
  {
    id: "RFC-12",
    source: "development-tool extension RFC",
    says: "Each update carries the whole output so far as `live_content`. The result replaces it at the end.",
  },
  {
    id: "RFC-13",
    source: "development-tool extension RFC",
    says: "A result is text, a FileDiff or structured data; an error has a message, a type and a status code.",
  },
  {
    id: "RFC-14",
    source: "development-tool extension RFC",
    says: "A call that needs permission is PENDING with its options and details; the `input-required` update repeats every waiting ToolCall.",
  },
  {
    id: "RFC-15",
    source: "development-tool extension RFC",
    says: "A FileDiff carries name, absolute path, old and new content and a formatted diff.",
  },
  {
    id: "RFC-16",
    source: "development-tool extension RFC",
    says: "A thought has a subject and a description.",
  },
  {
    id: "RFC-17",
    source: "development-tool extension RFC",
    says: "Every status update has DevelopmentToolEvent metadata: kind, model, user tier, error.",
  },
  {
    id: "RFC-18",
    source: "development-tool extension RFC",
    says: "The agent sends TOOL_CALL_UPDATE, TEXT_CONTENT, STATE_CHANGE and THOUGHT at the right moments; TOOL_CALL_CONFIRMATION marks the client's answer.",
  },
  {
    id: "RFC-19",
    source: "development-tool extension RFC",
    says: "A ToolCallConfirmation in a new `message/stream` of the same task and context resumes the turn, and the chosen option is obeyed.",
  },
  {
    id: "RFC-20",
    source: "development-tool extension RFC",
    says: "A cancel answer skips execution, and the model is informed.",
  },
  {
    id: "RFC-21",
    source: "development-tool extension RFC",
    says: "The content that the user edited before approving is written.",
  },
  {
    id: "RFC-22",
    source: "development-tool extension RFC",
    says: "`commands/get` lists slash commands with arguments and nested sub-commands.",
  },
  {
    id: "RFC-23",
    source: "development-tool extension RFC",
    says: "`command/execute` answers at once with an execution id, a status and a message, then streams progress as status updates of that id.",
  },
  {
    id: "RFC-24",
    source: "development-tool extension RFC",
    says: "A command that is unknown or malformed is FAILED_TO_START with a message.",
  },
  {
    id: "RFC-25",
    source: "development-tool extension RFC",
    says: "Context and tools of the client come through MCP servers that the client names.",
  },
  {
    id: "RFC-26",
    source: "development-tool extension RFC",
    says: "The example of Appendix A runs event by event, with both of its streams in the order of the example.",
  },
  {
    id: "RFC-27",
    source: "development-tool extension RFC",
    says: "A finished task continues when another message names it (A2A 0.3). On A2A 1.0 the session continues as a new task of the same context.",
  },
  {
    id: "CLI-01",
    source: "endpoint requirements",
    says: "`--a2a-port` turns the endpoint on. Without it the endpoint is off. A bad or taken port causes a clear error and exit code 2.",
  },
  {
    id: "CLI-02",
    source: "endpoint requirements",
    says: "The terminal and the endpoint start together and share one session, one configuration and one history.",
  },
  {
    id: "CLI-03",
    source: "endpoint requirements",
    says: "The endpoint is bound to 127.0.0.1 by default; `--host` and `DT_HOST` change it.",
  },
  {
    id: "CLI-04",
    source: "endpoint requirements",
    says: "`GET /.well-known/agent-card.json` answers with the extension's URI.",
  },
  {
    id: "CLI-05",
    source: "endpoint requirements",
    says: "A WebSocket at `/ws` receives all activity of every client: status updates with the `a2a.v1` subprotocol, the guide's frames without one.",
  },
  {
    id: "CLI-06",
    source: "endpoint guide",
    says: "`POST /tasks` returns the session id with 201.",
  },
  {
    id: "CLI-07",
    source: "endpoint guide",
    says: "`POST /tasks/{taskId}/messages/stream` prompts and streams SSE; an unknown task is 404.",
  },
  {
    id: "CLI-08",
    source: "endpoint guide",
    says: "JSON-RPC `message/stream` over the socket prompts with `message.content.text` and answers with `message.content.data`.",
  },
  {
    id: "CLI-09",
    source: "endpoint guide",
    says: "THOUGHT, TEXT_CONTENT, TOOL_CALL_UPDATE and CONSOLE_LOG are broadcast with their `taskId` in the guide's exact shapes.",
  },
  {
    id: "CLI-10",
    source: "endpoint requirements",
    says: "All clients share the id of one open task. A message of any client is the next turn. Messages during a turn are queued in order.",
  },
  {
    id: "CLI-11",
    source: "endpoint requirements",
    says: "A tool that needs permission is broadcast PENDING with options, details and a correlation id.",
  },
  {
    id: "CLI-12",
    source: "endpoint requirements",
    says: "An answer is matched by its correlation id and applied like an answer in the terminal, with its edits. EXECUTING or CANCELLED is then broadcast.",
  },
  {
    id: "CLI-13",
    source: "endpoint requirements",
    says: "An answer from any client closes the dialog in the terminal, and an answer in the terminal closes it for every client.",
  },
  {
    id: "CLI-14",
    source: "endpoint requirements",
    says: "The first answer wins. Every later one gets an error that names the winner and its option.",
  },
  {
    id: "CLI-15",
    source: "endpoint requirements",
    says: "Messages from clients appear in the terminal's history with an [A2A] mark, and the output they cause is shown there.",
  },
  {
    id: "CLI-16",
    source: "endpoint requirements",
    says: "Prompts that are typed in the terminal reach every client.",
  },
  {
    id: "CLI-17",
    source: "endpoint requirements",
    says: "A client that joins late sees the history and every open question.",
  },
  {
    id: "CLI-18",
    source: "endpoint guide",
    says: "A session with `--yolo` asks nothing. A client's own mode covers only its own prompts. `--debug` logs with [A2AService] prefixes.",
  },
  {
    id: "CLI-19",
    source: "endpoint guide",
    says: "A socket opened by hand with wscat works as the guide shows.",
  },
  {
    id: "CLI-20",
    source: "endpoint requirements",
    says: "Authentication can be added without redesign.",
  },
  {
    id: "SRV-01",
    source: "server reference",
    says: "`POST /tasks` with a context id and agent settings creates a task; the answer names the task and its state.",
  },
  {
    id: "SRV-02",
    source: "server reference",
    says: "`POST /tasks/:taskId/execute` streams named SSE events in the reference's payloads, or answers a confirmation.",
  },
  {
    id: "SRV-03",
    source: "server reference",
    says: "Tasks and their metadata are read one by one and as pages, in the documented shapes, from any store.",
  },
  {
    id: "SRV-04",
    source: "protocol notes",
    says: "`POST /message/stream` accepts the body and the user messages of the protocol notes. The event flow of the notes runs event by event.",
  },
  {
    id: "SRV-05",
    source: "protocol notes",
    says: "`GET /listCommands` and `POST /executeCommand` work.",
  },
  {
    id: "SRV-06",
    source: "protocol notes",
    says: "The events of the notes and of the reference are sent with their exact payloads.",
  },
  {
    id: "SRV-07",
    source: "server reference",
    says: "A task is submitted, working, input-required, completed, failed or canceled. On A2A it can also be rejected or auth-required, which other dialects show as failed and input-required. Its state changes only as the table allows.",
  },
  {
    id: "SRV-08",
    source: "server reference",
    says: "Task metadata holds id, context id, state, model, MCP servers with status and tools, and available tools with their schemas.",
  },
  {
    id: "SRV-09",
    source: "server reference",
    says: "`autoExecute` runs tools without asking, for that task alone.",
  },
  {
    id: "SRV-10",
    source: "server reference",
    says: "Many tasks run at once, each with its own state. Tasks above a limit are queued. Above the limit of the queue there is a clear busy error.",
  },
  {
    id: "SRV-11",
    source: "server reference",
    says: "Each task is configured from workspace and user settings files and extensions, with registries and sessions of its own.",
  },
  {
    id: "SRV-12",
    source: "server reference",
    says: "Extensions are loaded and listed, and custom commands can be registered in code.",
  },
  {
    id: "SRV-13",
    source: "server reference",
    says: "Request id and task id reach every log line.",
  },
  {
    id: "SRV-14",
    source: "server reference",
    says: "Tasks are saved, loaded, listed and restored after a restart. In Google Cloud Storage they have the documented layout.",
  },
  {
    id: "SRV-15",
    source: "server reference",
    says: "Each documented environment variable has its documented default and effect.",
  },
  {
    id: "SRV-16",
    source: "server reference",
    says: "`/health` answers status, uptime, active tasks and total tasks.",
  },
  {
    id: "SRV-17",
    source: "server reference",
    says: "The Dockerfile and the Cloud Run instructions match the repository.",
  },
  { id: "SRV-18", source: "server reference", says: "Requests are authenticated and authorised." },
  {
    id: "SRV-19",
    source: "server reference",
    says: "Rate limits and token quotas per owner are enforced and are visible in `/metrics`.",
  },
  {
    id: "SRV-20",
    source: "server reference",
    says: "Tool confirmation works completely over the network.",
  },
  {
    id: "SRV-21",
    source: "server reference",
    says: "Tasks have a time to live, are cleaned up, and are evicted from memory.",
  },
  {
    id: "SRV-22",
    source: "server reference",
    says: "A failed turn can be retried from its last finished step, and parts that fail degrade gracefully.",
  },
  {
    id: "SRV-23",
    source: "server reference",
    says: "There are stores other than Google Cloud Storage.",
  },
  {
    id: "SRV-24",
    source: "server reference",
    says: "Our agent can call another A2A agent as a tool, and be called as one.",
  },
  {
    id: "SRV-25",
    source: "protocol notes",
    says: "The agent card has the notes' name, description, url, streaming, stateTransitionHistory and skills.",
  },
  {
    id: "SRV-26",
    source: "protocol notes",
    says: "Code that embeds the agent subscribes to events by type with `on`, `off` and `emit`.",
  },
  {
    id: "SRV-27",
    source: "server reference",
    says: "Several instances share the work and the tasks. If one of them crashes, the others continue.",
  },
  {
    id: "LOG-01",
    source: "design: ledger and safety",
    says: "No client sees an event that is not committed. No event is lost or repeated by a disconnect, a restart or a kill.",
  },
  {
    id: "LOG-02",
    source: "design: ledger and safety",
    says: "A subscription continues exactly after its cursor, over SSE and WebSocket, for running and ended tasks.",
  },
  {
    id: "LOG-03",
    source: "design: ledger and safety",
    says: "A question survives restarts, is answered exactly once, and its tool runs at most once.",
  },
  {
    id: "LOG-04",
    source: "design: ledger and safety",
    says: "The cost of an event does not grow with the history. A slow or stalled subscriber has a constant cost.",
  },
  {
    id: "LOG-05",
    source: "design: ledger and safety",
    says: "Messages with the same `messageId` and the same content are one message. A used `messageId` with other content is refused.",
  },
  {
    id: "LOG-06",
    source: "design: ledger and safety",
    says: "A damaged row or file is detected on reading, nothing more is written to it, other sessions are served, and `/health` reports it.",
  },
  {
    id: "LOG-07",
    source: "design: ledger and safety",
    says: "A store that disappears, fills up or fails to read is detected. No acknowledged event is lost silently.",
  },
  {
    id: "SEC-01",
    source: "design: ledger and safety",
    says: "No web page reaches the endpoint: Host, Origin and content type are checked on every route and on the upgrade.",
  },
  {
    id: "SEC-02",
    source: "design: ledger and safety",
    says: "A server or endpoint on an address beyond loopback does not start without authentication.",
  },
  {
    id: "SEC-03",
    source: "design: ledger and safety",
    says: "Tokens carry roles, are hashed and revocable, and tasks belong to their owner.",
  },
  {
    id: "SEC-04",
    source: "design: ledger and safety",
    says: "Workspaces are below configured roots. Commands that a client names need approval, and so does `autoExecute`.",
  },
  {
    id: "SEC-05",
    source: "design: ledger and safety",
    says: "Secrets reach no log, event or error, and no child process gets them in its environment. SECURITY.md says what a command of the same user can still read.",
  },
  {
    id: "SEC-06",
    source: "design: ledger and safety",
    says: "Permission is decided from the action before content is read. Nothing about files outside the workspace is revealed without permission.",
  },
  {
    id: "SEC-07",
    source: "design: ledger and safety",
    says: "An “always” answer never covers more than its text says: it generalises only over commands that the strict grammar accepts.",
  },
  {
    id: "SEC-08",
    source: "design: ledger and safety",
    says: "In every mode but yolo, a change to settings, git and hook files always asks. A workspace's own configuration is used only after the person trusted it.",
  },
  {
    id: "SEC-09",
    source: "design: ledger and safety",
    says: "No input of a user, model, file or client stops the process or blocks the event loop: each is limited in bytes, depth and time.",
  },
  {
    id: "SEC-10",
    source: "design: ledger and safety",
    says: "A mode that a client sets belongs to its credential (token, socket, client id) and ends with it. Users cannot loosen a server policy.",
  },
  {
    id: "PKG-01",
    source: "design: packages",
    says: "The protos are compiled by ts-proto into @dt/schema, and regenerating changes nothing.",
  },
  {
    id: "PKG-02",
    source: "design: packages",
    says: "@dt/agent-core, @dt/server and @dt/client work without each other. The apps only combine them.",
  },
  {
    id: "PKG-03",
    source: "design: packages",
    says: "@dt/client is imported as ESM and CommonJS, in Node and browsers, typed to the last field, without Node built-ins in a browser.",
  },
  {
    id: "PKG-04",
    source: "design: packages",
    says: "@dt/schema alone gives types, codecs, validation and the version check.",
  },
  {
    id: "PKG-05",
    source: "design: packages",
    says: "The bundled server app runs with one command.",
  },
  {
    id: "PKG-06",
    source: "design: packages",
    says: "The repository is built with pnpm, turbo, @a2a-js/sdk, ts-proto, @bufbuild/protobuf, express, ws, tsup and vitest.",
  },
  {
    id: "TEAM-01",
    source: "design: beyond the documents",
    says: "An owner can share one session with a user or by a link, with a role and an expiry, and can revoke it.",
  },
  {
    id: "TEAM-02",
    source: "design: beyond the documents",
    says: "A device pairs by a one-time code (link, QR) and gets its own named, revocable token.",
  },
  {
    id: "TEAM-03",
    source: "design: beyond the documents",
    says: "Clients on the same machine find running endpoints by themselves.",
  },
  {
    id: "TEAM-04",
    source: "design: beyond the documents",
    says: "Budgets in tokens and money per session, owner and day stop a call that would exceed them.",
  },
  {
    id: "TEAM-05",
    source: "design: beyond the documents",
    says: "A record of sign-ins, prompts, answers and shares, each with its user, can be exported.",
  },
  {
    id: "ACP-01",
    source: "design: beyond the documents",
    says: "`dt acp`: every baseline and advertised method of the Agent Client Protocol v1 works with the official SDK's client.",
  },
  {
    id: "ACP-02",
    source: "design: beyond the documents",
    says: "An editor's session is durable, resumable, and can be joined by A2A clients; a question answered elsewhere closes in the editor.",
  },
  {
    id: "ACP-03",
    source: "design: beyond the documents",
    says: "Any ACP agent can run behind dt and dt-server. Its questions become our questions, and its exit approves nothing.",
  },
  {
    id: "TUI-01",
    source: "design: beyond the documents",
    says: "The terminal supports the expected input: cancel, modes, history search, editor, steering, refusing with a reason, images, pipes.",
  },
  {
    id: "TUI-02",
    source: "design: beyond the documents",
    says: "The terminal shows the expected views: first screen, cards, diffs, tables, status bar, themes, notifications.",
  },
  {
    id: "TUI-03",
    source: "design: beyond the documents",
    says: "The terminal has a session picker, rewind, fork and export; trust and permissions can be seen and changed.",
  },
  {
    id: "PERF-01",
    source: "design: beyond the documents",
    says: "The benchmark runs the built apps with real adapters, and gemini-cli's a2a-server in the same run for comparison.",
  },
  {
    id: "OPS-01",
    source: "design: beyond the documents",
    says: "Backup, restore, migration and upgrade are documented and tested.",
  },
  {
    id: "OPS-02",
    source: "design: beyond the documents",
    says: "Configuration, API and CLI references are generated from the code.",
  },
];
