// Writes docs/roles.md from the table of roles.
import { ROLES } from "../../../packages/schema/dist/esm/index.js";
import { METHOD_NAMES } from "../../../packages/schema/dist/esm/wire/index.js";
import { ROLE_TABLE } from "../../../packages/server/dist/esm/index.js";
import { toTable } from "../to-table.mjs";
import { writeDocument } from "../write-document.mjs";

const rows = Object.entries(ROLE_TABLE).map(([right, { role, effect, routes = [] }]) => [
  effect,
  namesOf(right)
    .concat(routes)
    .map((name) => `\`${name}\``)
    .join(", "),
  ...ROLES.map((each) => (ROLES.indexOf(each) >= ROLES.indexOf(role) ? "yes" : "")),
]);

writeDocument(
  "docs/roles.md",
  `# Roles

<!-- Written by \`npm run docs\` from packages/server/src/access/auth/role-table.ts. Do not edit. -->

A token has one of four roles. Each role includes the rights of the roles before it. A test tries the requests of this table with every role,
over every binding and dialect.

- A role applies to the caller's own sessions. No role gives access to the sessions of other users.
- In a shared session, a guest's token and grant each have a role, and the lower one applies.
- On the live endpoint of a terminal, the role applies to the one session that all clients share.
- A request that the role does not include gets 403, before it does anything.

${toTable(["request", "methods and routes", ...ROLES], rows)}

[The matrix of the tests](../tests/e2e/auth/__snapshots__/roles-matrix.md) has each request on each binding.

Methods of A2A 0.3 are listed before those of A2A 1.0. REST and gRPC have the same operations as A2A 1.0. See
[the protocol](protocol.md#methods).
`,
);

function namesOf(right) {
  return [...new Set(Object.values(METHOD_NAMES).flatMap((names) => names[right] ?? []))];
}
