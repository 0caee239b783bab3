import { ToolError } from "../../errors/tool-error.js";
import { stripControl } from "../../workspace/text/strip-control.js";
import { htmlToText, MAX_PAGE_LENGTH } from "./html-text.js";

/** The text of a page. */
export interface PageText {
  readonly text: string;
  /** True if the page has more text than `text` contains. */
  readonly isCut: boolean;
}

/** Converts the body of a response to readable text; throws if the response is not text. */
export async function toPageText(bytes: Buffer, contentType: string): Promise<PageText> {
  const [mediaType = ""] = contentType.toLowerCase().split(";");
  if (!isText(mediaType.trim())) {
    throw new ToolError("not_text", `the response is ${mediaType.trim()}, not text`);
  }
  const text = decode(bytes, /charset="?([^\s";]+)/i.exec(contentType)?.[1]);
  if (!mediaType.includes("html")) return { text: stripControl(text), isCut: false };
  const page = await htmlToText(text);
  return { text: stripControl(page), isCut: page.length > MAX_PAGE_LENGTH };
}

function isText(mediaType: string): boolean {
  return mediaType === "" || /^text\/|json|xml|javascript|yaml|x-sh$/.test(mediaType);
}

function decode(bytes: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    // TextDecoder throws a RangeError if it does not know the charset.
    if (error instanceof RangeError) return bytes.toString("utf8");
    throw error;
  }
}
