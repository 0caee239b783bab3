import type { Cost } from "../gen/dt_session/event.js";

/** Converts billionths of a dollar to an amount of money. */
export function toCost(nanos: number): Cost {
  const digits = String(nanos).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  const whole = digits.slice(0, -9);
  return { amount: fraction === "" ? whole : `${whole}.${fraction}`, currency: "USD" };
}
