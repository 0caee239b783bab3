/** The SQL of budgets. */
export const BUDGET_SQL = {
  readBudget: "SELECT * FROM budgets WHERE account = ?",
  writeBudget: `INSERT OR REPLACE INTO budgets (account, tokens, nanos, checksum)
    VALUES (?, ?, ?, ?)`,
  deleteBudget: "DELETE FROM budgets WHERE account = ?",
  insertReservation: `INSERT INTO reservations (id, accounts, tokens, nanos, created_at)
    VALUES (?, ?, ?, ?, ?)`,
  findReservation: "SELECT * FROM reservations WHERE id = ?",
  deleteReservation: "DELETE FROM reservations WHERE id = ?",
  deleteReservationsBefore: "DELETE FROM reservations WHERE created_at < ?",
} as const;
