import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Creates a function that runs work as one transaction. A critical transaction survives a loss of power. */
export function createTransaction(database: DatabaseSyncInstance, busyMs: number) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  let isFull = false;
  let canWait = true;

  // Sets whether commits survive a loss of power. Must be called outside of a transaction, because SQLite ignores the
  // pragma inside a transaction.
  function setDurability(wantsFull: boolean): void {
    if (wantsFull === isFull) return;
    database.exec(`PRAGMA synchronous = ${wantsFull ? "FULL" : "NORMAL"}`);
    isFull = wantsFull;
  }

  // Begins a transaction. A wait for a locked file blocks the process. After a wait has timed out, later transactions
  // do not wait, but fail at once until one of them gets the lock.
  function beginOrRefuse(): void {
    try {
      begin.run();
    } catch (error) {
      if (canWait) database.exec("PRAGMA busy_timeout = 0");
      canWait = false;
      throw error;
    }
    if (!canWait) database.exec(`PRAGMA busy_timeout = ${busyMs}`);
    canWait = true;
  }

  return (work: () => void, isCritical = false): void => {
    setDurability(isCritical);
    beginOrRefuse();
    try {
      work();
      commit.run();
    } catch (error) {
      // SQLite may have rolled back by itself, for example on a full disk.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
}
