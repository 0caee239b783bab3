import { encode } from "uqr";

/** Light modules around the code. Readers need them to find its edge. */
const BORDER = 2;

/**
 * Draws a QR code as rows of text. A character shows two modules, one above the other; dark modules are drawn, so the
 * rows must be shown with dark text on a light ground. Pure.
 */
export function qrRows(text: string): readonly string[] {
  const { data, size } = encode(text, { ecc: "L", border: BORDER });
  return Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (_, column) =>
      drawModules(data[2 * row]?.[column] === true, data[2 * row + 1]?.[column] === true),
    ).join(""),
  );
}

function drawModules(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? "█" : "▀";
  return isLowerDark ? "▄" : " ";
}
