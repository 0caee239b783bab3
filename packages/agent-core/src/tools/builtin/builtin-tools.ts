import type { Tool } from "../tool.js";
import { writeFile } from "./write-file.js";

/** The tools that every session has unless it is given others. */
export const builtinTools: readonly Tool[] = [writeFile];
