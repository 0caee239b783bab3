import { encode } from "uqr";

/** Number of light modules around the code. Scanners need this border to find the edge of the code. */
const BORDER = 2;

/**
 * Draws a QR code as rows of text. A character shows two modules (squares of the code), one above the
 * other. Only dark modules are drawn, so the rows need dark text on a light background. Pure.
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
