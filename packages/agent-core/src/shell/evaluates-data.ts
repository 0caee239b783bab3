import type { ParameterExpansionPart, ParameterOperation, SyntaxNode, Word } from "unbash";
import { affectsPrograms } from "./affects-programs.js";

/**
 * True if a node may run code from a variable, or change which program a name starts.
 *
 * Bash evaluates the variables in arithmetic, and a value such as `a[$(rm x)]` runs a command. The
 * same is true for subscripts, slices, `${!name}` and `${name@P}`. The result is also true for a bash
 * comparison that sh would parse as a command.
 */
export function evaluatesData(node: SyntaxNode): boolean {
  switch (node.type) {
    case "ArithmeticWord":
      return !isNumber(node.value);
    case "ArithmeticExpansion":
      return node.expression === undefined;
    case "ArithmeticCommand":
    case "ArithmeticCommandExpansion":
    case "TestLogical":
    case "TestGroup":
      return true;
    case "TestUnary":
      return ["-v", "-R"].includes(node.operator) && !isName(node.operand);
    case "TestBinary":
      return isRisky(node.operator, [node.left, node.right]);
    case "ParameterExpansion":
      return looksUpData(node);
    case "Assignment":
      return affectsPrograms(node.name) || !isPlainIndex(node.index);
    case "For":
    case "Select":
      return affectsPrograms(node.name.text);
    default:
      return false;
  }
}

function isRisky(operator: string, sides: readonly Word[]): boolean {
  if (["<", ">"].includes(operator)) return true;
  const isArithmetic = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"].includes(operator);
  return isArithmetic && !sides.every((side) => isNumber(side.text));
}

function looksUpData({ parameter, prefix, index, operation }: ParameterExpansionPart): boolean {
  if (operation?.type === "Default" && affectsPrograms(parameter)) return true;
  const isListing = operation?.type === "Names" || isWholeArray(index);
  return (prefix === "!" && !isListing) || !isPlainIndex(index) || evaluates(operation);
}

function evaluates(operation: ParameterOperation | undefined): boolean {
  switch (operation?.type) {
    case "Transform":
      return !/^[QEAaKkULu]$/.test(operation.operand.text);
    case "Slice":
      return ![operation.offset, operation.length].every(isNumberOrAbsent);
    default:
      return false;
  }
}

function isPlainIndex(index: Word | undefined): boolean {
  return isNumberOrAbsent(index) || isWholeArray(index);
}

function isWholeArray(index: Word | undefined): boolean {
  return index?.text === "@" || index?.text === "*";
}

function isNumberOrAbsent(word: Word | undefined): boolean {
  return word === undefined || isNumber(word.text.trim().replace(/^-/, ""));
}

function isNumber(text: string): boolean {
  return /^(0[xX][0-9a-fA-F]+|\d*)$/.test(text);
}

function isName(word: Word): boolean {
  return /^\w+$/.test(word.text);
}
