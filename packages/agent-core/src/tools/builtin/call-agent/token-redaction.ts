/** Creates a function that removes a token from texts, because the called agent may repeat it. */
export function createTokenRedaction(token: string | undefined): (text: string) => string {
  if (token === undefined || token === "") return (text) => text;
  return (text) => text.replaceAll(token, "[redacted]");
}
