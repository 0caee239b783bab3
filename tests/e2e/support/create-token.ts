import path from "node:path";
import { issueToken, openSqliteStore } from "@dt/server";

/** Creates a token in the data directory of a dt-server, which may be running. */
export async function createToken(dataDirectory: string, user = "ada"): Promise<string> {
  const file = path.join(dataDirectory, "dt-server.db");
  const store = openSqliteStore({ file, isShared: true });
  try {
    return await issueToken(store, { user, name: "test", role: "admin", now: new Date() });
  } finally {
    await store.close();
  }
}
