import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Runs work as one transaction: all of it is durable afterwards, or nothing has changed. */
export function createTransaction(database: DatabaseSyncInstance, busyMs: number) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  let isFull = false;
  let isPatient = true;

  // Between transactions only: SQLite ignores the pragma inside one.
  function setDurability(wantsFull: boolean): void {
    if (wantsFull === isFull) return;
    database.exec(`PRAGMA synchronous = ${wantsFull ? "FULL" : "NORMAL"}`);
    isFull = wantsFull;
  }

  // Who waited in vain does not wait again before it has got in: each wait keeps everyone waiting.
  function beginOrRefuse(): void {
    try {
      begin.run();
    } catch (error) {
      if (isPatient) database.exec("PRAGMA busy_timeout = 0");
      isPatient = false;
      throw error;
    }
    if (!isPatient) database.exec(`PRAGMA busy_timeout = ${busyMs}`);
    isPatient = true;
  }

  return (work: () => void, isCritical = false): void => {
    setDurability(isCritical);
    beginOrRefuse();
    try {
      work();
      commit.run();
    } catch (error) {
      // A full disk may have rolled back already.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
}
